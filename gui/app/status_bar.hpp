// SPDX-License-Identifier: BSD-3-Clause
// The line at the bottom of the window.
#pragma once

#include <string>

#include "gui/ui/shell.hpp"

namespace reber::gui {

/// Into the window that is begun: the readout at the left, and at the right what is under way, what was said, that the
/// card failed, or what draws. They share the line.
///   box: the window's, in canvas points;   activity, fraction: of the work under way; empty where there is none
void draw_status(Context& context, const ScreenRect& box, const std::string& activity, double fraction);

}  // namespace reber::gui
