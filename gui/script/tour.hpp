// SPDX-License-Identifier: BSD-3-Clause
// The tour: ten pages on the sample field, each a text and a script that is played on the window.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>

#include "gui/app/app.hpp"
#include "gui/script/player.hpp"

namespace reber::gui {

/// Runs while the panel "tour" is open: opening it begins the tour, and closing it, or a button of the hand's mouse
/// while a page is played, ends it. What the tour opened, closed and moved in the window is put back; the sample field
/// stays open.
class Tour {
 public:
  /// Before each frame. False while there is no tour.
  bool step(App& app);

 private:
  /// Of the window, as it was before.
  struct Kept {
    std::map<std::string, bool> panels, overlays;
    LayoutSizes sizes;
    bool hide_interface = false;
    Compare compare;
  };
  void begin(App& app);
  void show_page(App& app, int page);
  void play(App& app);
  void end(App& app);

  std::optional<Kept> kept_;
  std::unique_ptr<Player> player_;  ///< of the page; null while it rests
  std::chrono::steady_clock::time_point read_until_;
};

}  // namespace reber::gui
