// SPDX-License-Identifier: BSD-3-Clause
// Actions on the window itself.
#include <algorithm>
#include <string>
#include <vector>

#include "gui/app/actions.hpp"
#include "gui/app/layout.hpp"
#include "gui/ui/compare_view.hpp"
#include "gui/ui/panel.hpp"

namespace reber::gui {
namespace {

/// What Esc leaves, the innermost first: a window, a mode, work under way, the crosshair, the selection.
void leave(Context& c) {
  ViewerState& state = c.state;
  if (bool& open = state.panel_open["palette"]; open) {
    open = false;
    return;
  }
  if (const PanelRow* front = front_window(state)) {
    set_open(state, front->name, false);
    return;
  }
  if (state.mode != Mode::browse) {
    state.mode = Mode::browse;
    return;
  }
  Document* document = state.document();
  if (document == nullptr) return;
  if (document->loading || (document->live_run && document->live_run->status().busy) || laying_on_grid(state)) {
    c.shell.cancel(*document);
  } else if (state.cursor.frozen || state.cursor.crosshair) {
    state.cursor.frozen = false;
    state.cursor.crosshair.reset();
  } else {
    document->selection.clear();
  }
}

/// Panels of a layout, beside the floating ones, which stay as they are.
void lay_out(Context& c, const std::vector<std::string>& wanted, const LayoutSizes& sizes, const char* name) {
  for (const PanelRow& panel : panel_rows())
    if (panel.place == Place::side || panel.place == Place::bottom)
      set_open(c.state, panel.name, std::ranges::count(wanted, panel.name) > 0);
  c.state.raised_panel.clear();  // none is asked for by name
  c.state.sizes = sizes;
  c.state.strip_folded.reset();
  c.state.hide_interface = false;
  c.state.say(std::string("Layout: ") + name);
}

void scale_by(Context& c, double step) { c.state.user_scale = std::clamp(c.state.user_scale + step, 0.75, 3.0); }

}  // namespace

std::vector<Action> window_actions() {
  return {
      {"window.palette",
       "Command palette",
       "Window",
       "Ctrl+Shift+p",
       "Finds any action by a few letters.",
       {},
       [](Context& c) { set_open(c.state, "palette", true); },
       {}},
      {"window.hide",
       "Hide all but the image",
       "Window",
       "h",
       "The image alone; the same key brings the rest back.",
       {},
       [](Context& c) { c.state.hide_interface = !c.state.hide_interface; },
       [](const ViewerState& s) { return s.hide_interface; }},
      {"window.inspect",
       "Layout: inspect",
       "Window/Layout",
       "F2",
       "Display, statistics and magnifier; profiles and regions below the image.",
       {},
       [](Context& c) {
         lay_out(c, {"display", "statistics", "magnifier", "profiles", "regions"}, {}, "inspect");
       },
       {}},
      {"window.detect",
       "Layout: detect",
       "Window/Layout",
       "F3",
       "Display and pipeline; sources and plots below the image.",
       {},
       [](Context& c) {
         lay_out(c, {"display", "pipeline", "sources", "plots"}, {}, "detect");
       },
       {}},
      {"window.compare",
       "Layout: compare",
       "Window/Layout",
       "F4",
       "Comparison and bookmarks; sources, match and proof below the image.",
       {},
       [](Context& c) {
         lay_out(c, {"compare", "display", "bookmarks", "sources", "match", "prove"}, {}, "compare");
       },
       {}},
      {"window.full_screen",
       "Full screen",
       "Window",
       "F11",
       "The window fills the screen.",
       {},
       [](Context& c) { c.shell.toggle_full_screen(); },
       {}},
      {"window.theme",
       "Light theme",
       "Window",
       "Ctrl+Shift+d",
       "A light interface in place of the dark one.",
       {},
       [](Context& c) { c.state.light_theme = !c.state.light_theme; },
       [](const ViewerState& s) { return s.light_theme; }},
      {"window.larger",
       "Larger interface",
       "Window",
       "Ctrl+Shift+=",
       "Text and widgets grow by an eighth.",
       {},
       [](Context& c) { scale_by(c, 0.125); },
       {}},
      {"window.smaller",
       "Smaller interface",
       "Window",
       "Ctrl+Shift+-",
       "Text and widgets shrink by an eighth.",
       {},
       [](Context& c) { scale_by(c, -0.125); },
       {}},
      {"window.ds9_mouse",
       "DS9's mouse",
       "Window",
       "",
       "Left button sets the crosshair, middle button pans, wheel zooms about the middle.",
       {},
       [](Context& c) { c.state.ds9_mouse = !c.state.ds9_mouse; },
       [](const ViewerState& s) { return s.ds9_mouse; }},
      {"window.invert_wheel",
       "Turn the wheel round",
       "Window",
       "",
       "The wheel zooms the other way.",
       {},
       [](Context& c) { c.state.invert_wheel = !c.state.invert_wheel; },
       [](const ViewerState& s) { return s.invert_wheel; }},
      {"window.leave",
       "Leave",
       "",
       "Esc",
       "Closes a dialog, leaves a mode, stops work, takes the crosshair away.",
       {},
       leave,
       {}},
  };
}

}  // namespace reber::gui
