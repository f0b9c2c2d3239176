// SPDX-License-Identifier: BSD-3-Clause
// Time stamps between the parts of a frame.
#include "gui/render/pass_clock.hpp"

namespace reber::gui {

void PassClock::begin() {
  on_ = true;
  marks_.clear();
  mark("");
}

void PassClock::mark(const char* name) {
  if (!on_) return;
  if (marks_.size() == queries_.size()) {
    GLuint made = 0;
    glGenQueries(1, &made);
    queries_.emplace_back(made);
  }
  const GLuint query = queries_[marks_.size()].get();
  glQueryCounter(query, GL_TIMESTAMP);
  marks_.push_back({name, query});
}

std::map<std::string, double> PassClock::take() {
  std::map<std::string, double> ms;
  GLuint64 before = 0;
  for (const Mark& mark : marks_) {
    GLuint64 at = 0;
    glGetQueryObjectui64v(mark.query, GL_QUERY_RESULT, &at);
    if (&mark != &marks_.front()) ms[mark.name] += 1e-6 * static_cast<double>(at - before);
    before = at;
  }
  marks_.clear();
  on_ = false;
  return ms;
}

}  // namespace reber::gui
