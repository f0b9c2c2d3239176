// SPDX-License-Identifier: BSD-3-Clause
// Actions on the pipeline and its sources.
#include <algorithm>

#include "gui/app/actions.hpp"
#include "gui/model/source_tools.hpp"
#include "gui/ui/edit.hpp"

namespace reber::gui {
namespace {

bool working(const ViewerState& state) {
  const Document* document = state.document();
  return document != nullptr && (document->loading || (document->live_run && document->live_run->status().busy));
}

}  // namespace

std::vector<Action> source_actions() {
  return {
      {"run.start",
       "Run the pipeline",
       "Sources",
       "Enter",
       "Runs every stage whose parameters changed.",
       has_pixels,
       [](Context& c) { c.shell.run(*c.state.document()); },
       {}},
      {"run.live", "Run at every change", "Sources", "", "A moved slider shows its sources at once.", has_pixels,
       [](Context& c) {
         Document& document = *c.state.document();
         document.live = !document.live;
         if (document.live) c.shell.run(document);
       },
       [](const ViewerState& s) { return has_document(s) && s.document()->live; }},
      {"run.stop",
       "Stop",
       "Sources",
       "",
       "Stops what is being read or computed.",
       working,
       [](Context& c) { c.shell.cancel(*c.state.document()); },
       {}},
      {"run.take_card_back",
       "Try the card again",
       "Sources",
       "",
       "After a fault of the graphics card. One that only lacked memory is opened again; after any other fault the "
       "viewer begins anew, with what is open.",
       [](const ViewerState& s) { return !s.card_failure.empty(); },
       [](Context& c) { c.shell.take_card_back(); },
       {}},
      {"run.copy_command",
       "Copy the command",
       "Sources",
       "Ctrl+Shift+c",
       "The command line that finds these sources, with what the panel Pipeline shows, goes to the clipboard.",
       [](const ViewerState& s) { return has_document(s) && has_command(*s.document()); },
       [](Context& c) { copy_command(c, *c.state.document()); },
       {}},
      {"source.select_none",
       "Select nothing",
       "Sources",
       "",
       "Takes the selection away.",
       has_sources,
       [](Context& c) { c.state.document()->selection.clear(); },
       {}},
  };
}

}  // namespace reber::gui
