// SPDX-License-Identifier: BSD-3-Clause
// Every action once: menu, keys, command palette, help and tests are made from this table.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gui/ui/shell.hpp"

namespace reber::gui {

/// A new one is a row in an actions_*.cpp file: rows are arrays that actions.cpp puts together.
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
/// The one that a key press asks for; while text is being typed only those with Ctrl, and function keys. Null for none.
[[nodiscard]] const Action* action_for_key(const std::string& key, bool typing);
/// Null where there is none of that name.
[[nodiscard]] const Action* find_action(const std::string& name);
[[nodiscard]] bool is_enabled(const Action& action, const ViewerState& state);

/// The action that opens and closes a panel, for another menu than "Panels".   throws InternalError: no such panel
[[nodiscard]] Action panel_action(const std::string& name, const std::string& menu);

/// Rows of each file.
[[nodiscard]] std::vector<Action> file_actions();
[[nodiscard]] std::vector<Action> view_actions();
[[nodiscard]] std::vector<Action> image_actions();
[[nodiscard]] std::vector<Action> source_actions();
[[nodiscard]] std::vector<Action> inspect_actions();
[[nodiscard]] std::vector<Action> window_actions();
[[nodiscard]] std::vector<Action> compare_actions();
[[nodiscard]] std::vector<Action> keep_actions();
[[nodiscard]] std::vector<Action> review_actions();
[[nodiscard]] std::vector<Action> bookmark_actions();

/// A key press in the table's words: "Ctrl+Shift+Z". Empty for a key without a name.   key, mods: GLFW's.
[[nodiscard]] std::string key_name(int key, int mods);
/// The other way round; false for a word that is no key.
[[nodiscard]] bool key_of(const std::string& name, int& key, int& mods);

[[nodiscard]] inline bool has_document(const ViewerState& state) { return state.document() != nullptr; }
[[nodiscard]] bool has_pixels(const ViewerState& state);
[[nodiscard]] bool has_sources(const ViewerState& state);

}  // namespace reber::gui
