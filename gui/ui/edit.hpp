// SPDX-License-Identifier: BSD-3-Clause
// What follows a change of a document's request, whoever made it.
#pragma once

#include "gui/ui/shell.hpp"

namespace reber::gui {

/// Call it after every change of document.request by a slider, the mouse wheel or undo: runs the request where the
/// document is live. The history of undo sees the change at the end of the same frame.
void request_changed(Context& context, Document& document);

/// Puts the command that finds the document's sources on the clipboard, and says so; has_command() must be true.
void copy_command(Context& context, const Document& document);

}  // namespace reber::gui
