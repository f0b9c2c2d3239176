// SPDX-License-Identifier: BSD-3-Clause
// The table of panels. A new one is one file under gui/panels and one row in panel_table.cpp.
#pragma once

#include <span>
#include <string>

#include "gui/ui/shell.hpp"

namespace reber::gui {

/// side: a section of the right column; bottom: a tab of the strip below the image; floating: a window of its own;
/// dialog: the same, with the focus, closed by Esc.
enum class Place { side, bottom, floating, dialog };

/// The shell begins and ends the section, tab or window; draw() fills it. draw() is called only while it is shown.
struct Panel {
  const char* name;   ///< "pipeline": of settings, scripts and the action "panel.pipeline"
  const char* title;  ///< "Pipeline"
  Place place;
  bool open_by_default;
  const char* key;  ///< that toggles it, as in Action::key; "" for none
  const char* tooltip;
  void (*draw)(Context& context);
  bool (*enabled)(const ViewerState& state);  ///< null: always; else it is not drawn while this is false
  /// Of a window when it first opens, in units of the interface's scale; no height: always that of its contents.
  float width = 560, height = 460;
};

/// In the order in which they stand in the column, the strip and the menu.
[[nodiscard]] std::span<const Panel> panels();

[[nodiscard]] bool is_open(const ViewerState& state, const Panel& panel);
void set_open(ViewerState& state, const std::string& name, bool open);

}  // namespace reber::gui
