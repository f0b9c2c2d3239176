// SPDX-License-Identifier: BSD-3-Clause
// What stands under the cursor, at the left of the status bar.
#pragma once

#include "gui/ui/shell.hpp"

namespace reber::gui {

/// Fits itself into `room`, leaving out what matters least first.   returns the width that it takes
float draw_status_readout(Context& context, float room);

}  // namespace reber::gui
