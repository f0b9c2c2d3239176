// SPDX-License-Identifier: BSD-3-Clause
// What each part of a frame costs the graphics card.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gui/render/gl.hpp"

namespace reber::gui {

/// Time stamps of the card between the parts of a frame. Off until it is told to begin: marks cost nothing then.
class PassClock {
 public:
  /// Begins a frame.
  void begin();
  /// Ends the part `name`, which began at the mark before.
  void mark(const char* name);
  /// Milliseconds of each part; waits for the card.
  [[nodiscard]] std::map<std::string, double> take();

 private:
  struct Mark {
    const char* name;
    GLuint query;
  };
  std::vector<Mark> marks_;
  std::vector<GlQuery> queries_;
  bool on_ = false;
};

}  // namespace reber::gui
