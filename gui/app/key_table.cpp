// SPDX-License-Identifier: BSD-3-Clause
// The table of keys for the manual, from the table of actions.
#include <fmt/format.h>

#include <sstream>

#include "gui/app/actions.hpp"
#include "gui/viewer.hpp"

namespace reber::gui {

std::string key_table() {
  std::string table = "| Key | Action | What it does |\n|---|---|---|\n";
  for (const Action& action : actions()) {
    if (action.keys.empty()) continue;
    std::string keys, key;
    std::istringstream words(action.keys);
    while (words >> key) {
      // A grave accent stands in code marks of two.
      keys += (keys.empty() ? "" : ", ") + (key.find('`') == std::string::npos ? "`" + key + "`" : "`` " + key + " ``");
    }
    table += fmt::format("| {} | {} | {} |\n", keys, action.title, action.tooltip);
  }
  return table;
}

}  // namespace reber::gui
