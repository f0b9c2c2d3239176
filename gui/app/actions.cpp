// SPDX-License-Identifier: BSD-3-Clause
// The table of actions, put together from the rows of each file.
#include "gui/app/actions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

#include "core/base/error.hpp"
#include "gui/render/gl.hpp"
#include "gui/ui/overlay.hpp"
#include "gui/ui/panel.hpp"

namespace reber::gui {

Action panel_action(const std::string& name, const std::string& menu) {
  const auto found = std::ranges::find(panel_rows(), name, &PanelRow::name);
  if (found == panel_rows().end()) throw InternalError(fmt::format("there is no panel '{}'", name));
  const PanelRow& panel = *found;
  return {fmt::format("panel.{}", panel.name),
          panel.title,
          menu,
          panel.key,
          panel.tooltip,
          panel.enabled,
          [&panel](Context& c) { set_open(c.state, panel.name, !is_open(c.state, panel)); },
          [&panel](const ViewerState& s) { return is_open(s, panel); }};
}

namespace {

/// Panels and overlays bring an action each that opens and closes them, but for those that stand in another menu:
/// before this, or `later`.
void add_switches(std::vector<Action>& all, const std::vector<Action>& later) {
  for (const OverlayRow& overlay : overlay_rows()) {
    all.push_back({fmt::format("overlay.{}", overlay.name), overlay.title, "View/Overlays", overlay.key,
                   overlay.tooltip, has_document,
                   [&overlay](Context& c) { c.state.overlay_on[overlay.name] = !is_on(c.state, overlay); },
                   [&overlay](const ViewerState& s) { return is_on(s, overlay); }});
  }
  for (const PanelRow& panel : panel_rows()) {
    Action action = panel_action(panel.name, "Panels");
    const auto has = [&](const std::vector<Action>& rows) {
      return std::ranges::count(rows, action.name, &Action::name) > 0;
    };
    if (!has(all) && !has(later)) all.push_back(std::move(action));
  }
}

std::vector<Action> all_actions() {
  std::vector<Action> all;
  for (const auto& rows : {file_actions(), keep_actions(), image_actions(), view_actions(), inspect_actions(),
                           compare_actions(), source_actions(), review_actions(), hand_actions(), bookmark_actions()})
    all.insert(all.end(), rows.begin(), rows.end());
  const std::vector<Action> help{panel_action("welcome", "Help"), panel_action("tour", "Help"),
                                 panel_action("keys", "Help")};  // the last menu
  add_switches(all, help);
  const auto window = window_actions();
  all.insert(all.end(), window.begin(), window.end());
  all.insert(all.end(), help.begin(), help.end());
  return all;
}

struct NamedKey {
  int key;
  const char* name;
};
constexpr std::array kNamedKeys{NamedKey{GLFW_KEY_TAB, "Tab"},
                                NamedKey{GLFW_KEY_ENTER, "Enter"},
                                NamedKey{GLFW_KEY_KP_ENTER, "Enter"},
                                NamedKey{GLFW_KEY_ESCAPE, "Esc"},
                                NamedKey{GLFW_KEY_SPACE, "Space"},
                                NamedKey{GLFW_KEY_UP, "Up"},
                                NamedKey{GLFW_KEY_DOWN, "Down"},
                                NamedKey{GLFW_KEY_LEFT, "Left"},
                                NamedKey{GLFW_KEY_RIGHT, "Right"},
                                NamedKey{GLFW_KEY_PAGE_UP, "PageUp"},
                                NamedKey{GLFW_KEY_PAGE_DOWN, "PageDown"},
                                NamedKey{GLFW_KEY_HOME, "Home"},
                                NamedKey{GLFW_KEY_END, "End"},
                                NamedKey{GLFW_KEY_DELETE, "Delete"},
                                NamedKey{GLFW_KEY_BACKSPACE, "Backspace"},
                                NamedKey{GLFW_KEY_KP_ADD, "KeypadAdd"},
                                NamedKey{GLFW_KEY_KP_SUBTRACT, "KeypadSubtract"},
                                NamedKey{GLFW_KEY_GRAVE_ACCENT, "`"},
                                NamedKey{GLFW_KEY_APOSTROPHE, "'"},
                                NamedKey{GLFW_KEY_SLASH, "/"},
                                NamedKey{GLFW_KEY_PERIOD, "."},
                                NamedKey{GLFW_KEY_COMMA, ","},
                                NamedKey{GLFW_KEY_MINUS, "-"},
                                NamedKey{GLFW_KEY_EQUAL, "="},
                                NamedKey{GLFW_KEY_LEFT_BRACKET, "["},
                                NamedKey{GLFW_KEY_RIGHT_BRACKET, "]"}};

/// Of windows and files: what text fields leave to the keys. Those that change the image or edit text do not belong.
bool of_the_window(const Action& action) {
  constexpr std::array<std::string_view, 7> kGroups{"panel",    "program", "session", "window",
                                                    "document", "file",    "source"};
  return std::ranges::count(kGroups, std::string_view(action.name).substr(0, action.name.find('.'))) > 0;
}

}  // namespace

const std::vector<Action>& actions() {
  static const std::vector<Action> all = all_actions();
  return all;
}

const Action* action_for_key(const std::string& key, bool typing) {
  const bool function_key = key.size() >= 2 && key[0] == 'F' && std::isdigit(static_cast<unsigned char>(key[1])) != 0;
  if (typing && !key.starts_with("Ctrl+") && !function_key && key != "Esc") return nullptr;
  for (const Action& action : actions()) {
    std::istringstream words(action.keys);
    for (std::string word; words >> word;)
      if (word == key) return typing && !of_the_window(action) ? nullptr : &action;
  }
  return nullptr;
}

std::string key_name(int key, int mods) {
  std::string name;
  if (key >= GLFW_KEY_A && key <= GLFW_KEY_Z) {
    name = static_cast<char>('a' + key - GLFW_KEY_A);
  } else if (key >= GLFW_KEY_0 && key <= GLFW_KEY_9) {
    name = static_cast<char>('0' + key - GLFW_KEY_0);
  } else if (key >= GLFW_KEY_F1 && key <= GLFW_KEY_F12) {
    name = fmt::format("F{}", key - GLFW_KEY_F1 + 1);
  } else {
    const auto found = std::ranges::find(kNamedKeys, key, &NamedKey::key);
    if (found == kNamedKeys.end()) return "";
    name = found->name;
  }
  std::string prefix;
  if ((mods & GLFW_MOD_CONTROL) != 0) prefix += "Ctrl+";
  if ((mods & GLFW_MOD_ALT) != 0) prefix += "Alt+";
  if ((mods & GLFW_MOD_SHIFT) != 0) prefix += "Shift+";
  return prefix + name;
}

bool key_of(const std::string& name, int& key, int& mods) {
  mods = 0;
  std::string rest = name;
  for (const auto& [prefix, mod] :
       {std::pair("Ctrl+", GLFW_MOD_CONTROL), {"Alt+", GLFW_MOD_ALT}, {"Shift+", GLFW_MOD_SHIFT}}) {
    if (!rest.starts_with(prefix)) continue;
    rest = rest.substr(std::string(prefix).size());
    mods |= mod;
  }
  for (key = GLFW_KEY_SPACE; key <= GLFW_KEY_LAST; ++key)
    if (!rest.empty() && key_name(key, 0) == rest) return true;
  return false;
}

}  // namespace reber::gui
