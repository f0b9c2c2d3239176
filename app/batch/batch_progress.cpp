// SPDX-License-Identifier: BSD-3-Clause
// The words beside the bar.
#include "app/batch/batch_progress.hpp"

#include <fmt/format.h>

#include "app/terminal/signals.hpp"

namespace reber::app {
BatchProgress::BatchProgress(Terminal& terminal, bool many, std::size_t images, bool shown)
    : terminal_(terminal), many_(many), shown_(shown), images_(images) {}

Progress BatchProgress::of(const std::string& path) {
  if (many_) return Progress([this](const std::string&, double) { show(); }, &stop_flag());
  terminal_.set_subject(path);
  return terminal_.progress();
}

void BatchProgress::ended() {
  ended_.fetch_add(1);
  if (many_) show();
}

double BatchProgress::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

void BatchProgress::show() {
  if (!shown_) return;
  const std::size_t ended = ended_.load();
  terminal_.show_overall(static_cast<double>(ended) / static_cast<double>(images_), [&] {
    if (ended == 0) return fmt::format("0 of {} images", images_);
    const double rate = static_cast<double>(ended) / seconds();
    return fmt::format("{} of {} images, {:.3g} images/s", ended, images_, rate);
  });
}

}  // namespace reber::app
