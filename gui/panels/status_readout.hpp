// SPDX-License-Identifier: BSD-3-Clause
// What stands under the cursor, at the left of the status bar.
#pragma once

#include "gui/ui/shell.hpp"

namespace reber::gui {

void draw_status_readout(Context& context);

}  // namespace reber::gui
