// SPDX-License-Identifier: BSD-3-Clause
// Actions that add, merge, split and move sources by hand.
#include "gui/app/actions.hpp"
#include "gui/model/hand_edits.hpp"

namespace reber::gui {
namespace {

bool has_chosen(const ViewerState& state) {
  return state.document() != nullptr && state.document()->result && state.document()->selection.focus >= 0;
}

void tell(Context& c, const char* what, const std::string& why) {
  if (!why.empty()) c.state.say(std::string("Not ") + what + ": " + why, true);
}

/// The click that follows says where.
void wait_for_click(Context& c, Mode mode, const char* words) {
  const Document& document = *c.state.document();
  if (c.state.mode == mode) {
    c.state.mode = Mode::browse;
    return;
  }
  if (const std::string why = why_no_hand_fit(document); !why.empty())
    return tell(c, mode == Mode::add ? "added" : "moved", why);
  c.state.mode = mode;
  c.state.overlay_on["sources"] = true;
  c.state.say(words);
}

}  // namespace

std::vector<Action> hand_actions() {
  return {
      {"source.add", "Add sources", "Sources", "Shift+i",
       "Each click on the image fits a source there, together with its island. Esc ends it.", has_pixels,
       [](Context& c) { wait_for_click(c, Mode::add, "Click where a source is to be fitted; Esc ends it"); },
       [](const ViewerState& s) { return s.mode == Mode::add; }},
      {"source.merge",
       "Merge the selected sources",
       "Sources",
       "Shift+j",
       "The selected sources of an island become one, which is fitted anew.",
       [](const ViewerState& s) { return s.document() != nullptr && s.document()->selection.rows.size() > 1; },
       [](Context& c) { tell(c, "merged", ask_to_merge(*c.state.document())); },
       {}},
      {"source.split",
       "Split the source",
       "Sources",
       "Shift+k",
       "The chosen source becomes as many as How the source was made says, two at first, which are fitted together.",
       has_chosen,
       [](Context& c) { tell(c, "split", ask_to_split(*c.state.document(), c.state.split_parts)); },
       {}},
      {"source.move", "Fit from another place", "Sources", "Shift+v",
       "The next click on the image says where the fit of the chosen source begins.", has_chosen,
       [](Context& c) {
         wait_for_click(c, Mode::move, "Click where the fit is to begin; Esc leaves the source as it is");
       },
       [](const ViewerState& s) { return s.mode == Mode::move; }},
  };
}

}  // namespace reber::gui
