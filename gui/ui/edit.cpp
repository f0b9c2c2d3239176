// SPDX-License-Identifier: BSD-3-Clause
// Changed requests run where the document is live.
#include "gui/ui/edit.hpp"

#include "gui/model/source_tools.hpp"

namespace reber::gui {

void request_changed(Context& context, Document& document) {
  if (document.live) context.shell.run(document);
}

void copy_command(Context& context, const Document& document) {
  const std::string command = command_of(document, context.shell.backend());
  context.shell.copy_text(command);
  const bool extended_left_out = document.extended.wanted && document.request.convolve.has_value();
  context.state.say((extended_left_out ? "Copied, without the extended sources: " : "Copied: ") + command);
}

}  // namespace reber::gui
