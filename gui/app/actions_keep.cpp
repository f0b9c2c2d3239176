// SPDX-License-Identifier: BSD-3-Clause
// Actions of comparing, reviewing sources, keeping and exporting.
#include "gui/app/actions.hpp"
#include "gui/app/keep.hpp"
#include "gui/model/source_tools.hpp"
#include "gui/ui/compare_view.hpp"
#include "gui/ui/panel.hpp"

namespace reber::gui {
namespace {

using Kind = Compare::Kind;

/// Something to compare with: another open image, else another layer of this one.
void choose_other(ViewerState& state, Kind kind) {
  Compare& compare = state.compare;
  const Document& shown = *state.document();
  if (compare.other_document == shown.id) compare.other_document = -1;
  if (compare.other_document >= 0 && state.find(compare.other_document) != nullptr) return;
  for (const auto& each : state.documents) {
    if (each->id == shown.id) continue;
    compare.other_document = each->id;
    compare.other_layer = each->shown;
    return;
  }
  compare.other_document = -1;
  // A difference and a ratio are of layers in one unit.
  const bool of_values = kind == Kind::difference || kind == Kind::ratio;
  const LayerKind first = of_values ? LayerKind::background : LayerKind::snr;
  if (compare.other_layer == shown.shown || (of_values && !state.compares_one_unit()))
    compare.other_layer = shown.shown == LayerKind::input ? first : LayerKind::input;
}

void toggle_compare(Context& c, Kind kind) {
  Compare& compare = c.state.compare;
  if (compare.kind == kind) {
    compare.kind = Kind::off;
    return;
  }
  choose_other(c.state, kind);
  if (kind == Kind::rgb) {
    choose_channels(c.state);
    set_open(c.state, "compare", true);
  }
  compare.kind = kind;
}

Action compare_action(const char* name, const char* title, const char* keys, const char* tooltip, Kind kind,
                      const char* menu = "Compare") {
  return {std::string("compare.") + name,
          title,
          menu,
          keys,
          tooltip,
          has_pixels,
          [kind](Context& c) { toggle_compare(c, kind); },
          [kind](const ViewerState& s) { return s.compare.kind == kind; }};
}

bool has_selection(const ViewerState& state) {
  return state.document() != nullptr && !state.document()->selection.rows.empty();
}

}  // namespace

std::vector<Action> compare_actions() {
  return {
      compare_action("blink", "Blink", "b",
                     "One image, then the other; the name of the shown one stands large in the corner.", Kind::blink),
      compare_action("difference", "Difference", "d", "The shown image less the other one.", Kind::difference),
      compare_action("ratio", "Ratio", "Shift+d", "The shown image over the other one.", Kind::ratio),
      compare_action("split", "Split", "Shift+s",
                     "The shown image left of a line that can be dragged, the other one right of it.", Kind::split),
      compare_action("side_by_side", "Side by side", "Shift+b",
                     "Both images beside each other, at the same place of the sky.", Kind::side_by_side),
      compare_action("tiles", "Tiles", "t",
                     "All open images in a grid, at the same place of the sky; a click makes one the shown one.",
                     Kind::tiles),
      compare_action("rgb", "Combine as RGB", "Shift+r",
                     "Three open images as red, green and blue, on the grid of the shown one.", Kind::rgb, "Image"),
  };
}

std::vector<Action> keep_actions() {
  return {
      {"edit.undo",
       "Undo",
       "Edit",
       "Ctrl+z",
       "Takes back the last change of a parameter, a region, a flag or of how a layer is shown.",
       [](const ViewerState& s) { return !undo_title(s).empty(); },
       undo,
       {}},
      {"edit.redo",
       "Do again",
       "Edit",
       "Ctrl+Shift+z Ctrl+y",
       "Does again what was taken back.",
       [](const ViewerState& s) { return !redo_title(s).empty(); },
       redo,
       {}},
  };
}

std::vector<Action> review_actions() {
  return {
      {"source.next",
       "Next source",
       "Sources",
       "n",
       "The next source in the table's order, in the middle of the view.",
       has_sources,
       [](Context& c) { step_source(*c.state.document(), 1); },
       {}},
      {"source.previous",
       "Previous source",
       "Sources",
       "p",
       "The source before this one in the table's order.",
       has_sources,
       [](Context& c) { step_source(*c.state.document(), -1); },
       {}},
      {"source.flag",
       "Flag",
       "Sources",
       "x",
       "Marks the selected sources for review.",
       has_selection,
       [](Context& c) { flag_selected(*c.state.document(), true); },
       {}},
      {"source.unflag",
       "Take the flag away",
       "Sources",
       "u",
       "Takes the mark off the selected sources.",
       has_selection,
       [](Context& c) { flag_selected(*c.state.document(), false); },
       {}},
      {"source.remove",
       "Remove from the list",
       "Sources",
       "Shift+x",
       "Takes the selected sources out of table, image and files. Ctrl+z brings them back; so does Bring back removed "
       "sources.",
       has_selection,
       [](Context& c) {
         const std::string why = remove_selected(*c.state.document());
         if (!why.empty()) c.state.say("Not removed: " + why, true);
       },
       {}},
      {"source.restore",
       "Bring back removed sources",
       "Sources",
       "",
       "Every source that was removed by hand is in the list again.",
       [](const ViewerState& s) { return has_document(s) && s.document()->sources.edits.removed_rows() > 0; },
       [](Context& c) { c.state.document()->sources.edits.restore_all(); },
       {}},
      {"source.lock", "Lock", "Sources", "", "The selected sources cannot be removed until they are unlocked.",
       has_selection, [](Context& c) { toggle_lock(*c.state.document()); },
       [](const ViewerState& s) { return has_selection(s) && chosen_locked(*s.document()); }},
      {"source.find",
       "Find or filter sources",
       "Sources",
       "/ Ctrl+f",
       "Puts the cursor into the filter of the source table.",
       has_sources,
       [](Context& c) {
         set_open(c.state, "sources", true);
         c.state.focus_filter = true;
       },
       {}},
  };
}

}  // namespace reber::gui
