// SPDX-License-Identifier: BSD-3-Clause
// Small pieces that the panels share: a label with its field to the right, sliders of doubles, tool tips.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <string>

namespace reber::gui {

/// A label at the left; the next widget fills the rest of the line.
void label(const char* text);
/// A slider of a double. True while it changes.
bool slider(const char* id, double& value, double low, double high, const char* format, ImGuiSliderFlags flags);
/// "1 source", "2 sources".
[[nodiscard]] std::string counted(std::int64_t count, const std::string& what);
/// Shown while the mouse rests on the item drawn last.
void tip(const std::string& text);

}  // namespace reber::gui
