// SPDX-License-Identifier: BSD-3-Clause
// Changed requests run where the document is live.
#include "gui/ui/edit.hpp"

namespace reber::gui {

void request_changed(Context& context, Document& document) {
  if (document.live) context.shell.run(document);
}

}  // namespace reber::gui
