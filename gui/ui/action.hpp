// SPDX-License-Identifier: BSD-3-Clause
// Every action once: menu, keys, command palette, help and tests are made from one table.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gui/ui/shell.hpp"

namespace reber::gui {

/// A row of the table. A new one goes into a gui/app/actions_*.cpp file: actions.cpp puts their rows together.
struct Action {
  std::string name;   ///< "view.zoom_in": of scripts; the part before the point is its group
  std::string title;  ///< "Zoom in"
  std::string menu;   ///< "View" or "View/Stretch"; empty: palette and keys alone
  /// "Ctrl+Shift+Z", "F1", "Tab", "[", "Up", "Space", "KeypadAdd"; several with spaces between. Letters are lower case
  /// without Shift: "a" and "Shift+a" are two keys.
  std::string keys;
  std::string tooltip;                              ///< a sentence
  std::function<bool(const ViewerState&)> enabled;  ///< empty: always
  std::function<void(Context&)> run;
  std::function<bool(const ViewerState&)> checked;  ///< empty: not a switch
};

/// All of them, in the order of the menus: those of the files, of each panel and of each overlay.
[[nodiscard]] const std::vector<Action>& actions();
/// Null where there is none of that name.
[[nodiscard]] const Action* find_action(const std::string& name);
[[nodiscard]] bool is_enabled(const Action& action, const ViewerState& state);
/// Runs an enabled action of that name; false where it is not there or not enabled.
bool run_action(Context& context, const std::string& name);

/// What actions ask before they are enabled.
[[nodiscard]] bool has_document(const ViewerState& state);
[[nodiscard]] bool has_pixels(const ViewerState& state);
[[nodiscard]] bool has_sources(const ViewerState& state);

}  // namespace reber::gui
