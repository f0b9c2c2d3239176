// SPDX-License-Identifier: BSD-3-Clause
// Finding, asking and running actions.
#include "gui/ui/action.hpp"

#include <algorithm>

namespace reber::gui {

const Action* find_action(const std::string& name) {
  const auto found = std::ranges::find(actions(), name, &Action::name);
  return found == actions().end() ? nullptr : &*found;
}

bool is_enabled(const Action& action, const ViewerState& state) { return !action.enabled || action.enabled(state); }

bool run_action(Context& context, const std::string& name) {
  const Action* action = find_action(name);
  if (action == nullptr || !is_enabled(*action, context.state)) return false;
  action->run(context);
  return true;
}

bool has_document(const ViewerState& state) { return state.document() != nullptr; }

bool has_pixels(const ViewerState& state) {
  const Document* document = state.document();
  return document != nullptr && document->header && document->layer().pixels;
}

bool has_sources(const ViewerState& state) {
  const Document* document = state.document();
  return document != nullptr && document->result && !document->result->sources.empty();
}

}  // namespace reber::gui
