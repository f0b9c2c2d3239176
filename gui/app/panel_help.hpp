// SPDX-License-Identifier: BSD-3-Clause
// The "?" of panels: what a panel does and which keys belong to it.
#pragma once

#include "gui/ui/panel.hpp"

namespace reber::gui {

/// A small "?" at the cursor: its text under the pointer, and on a click in a window that stays. For scripts
/// "help.PANEL" and, while it is open, "help.text".
void help_button(Context& context, const PanelRow& row);
/// The same behind the tabs of a strip, for the tab that is shown.
void help_tab(Context& context, const PanelRow& row);
/// The same in the title bar of a window, left of what closes it.
void help_in_title(Context& context, const PanelRow& row);

}  // namespace reber::gui
