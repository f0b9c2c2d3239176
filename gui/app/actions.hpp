// SPDX-License-Identifier: BSD-3-Clause
// The rows of the table of actions, and the keys that ask for them.
#pragma once

#include <string>
#include <vector>

#include "gui/ui/action.hpp"

namespace reber::gui {

/// The one that a key press asks for; while text is being typed only those with Ctrl, and function keys. Null for none.
[[nodiscard]] const Action* action_for_key(const std::string& key, bool typing);

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
[[nodiscard]] std::vector<Action> hand_actions();
[[nodiscard]] std::vector<Action> bookmark_actions();

/// A key press in the table's words: "Ctrl+Shift+Z". Empty for a key without a name.   key, mods: GLFW's.
[[nodiscard]] std::string key_name(int key, int mods);
/// The other way round; false for a word that is no key.
[[nodiscard]] bool key_of(const std::string& name, int& key, int& mods);

}  // namespace reber::gui
