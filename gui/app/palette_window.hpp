// SPDX-License-Identifier: BSD-3-Clause
// The command palette, made from the table of actions.
#pragma once

#include <string>

#include "gui/ui/shell.hpp"

namespace reber::gui {

/// Finds actions by a few letters. It is open while ViewerState::panel_open has "palette".
class CommandPalette {
 public:
  void draw(Context& context, double scale);

 private:
  std::string text_;
  int at_ = 0;  ///< the line that Enter takes
  bool focus_ = false, was_open_ = false;
};

/// How well letters fit a title in which each of them, in order, stands somewhere: "zi" finds "Zoom in". Lower is
/// better; -1 for no match.
[[nodiscard]] int match_cost(const std::string& title, const std::string& wanted);

}  // namespace reber::gui
