// SPDX-License-Identifier: BSD-3-Clause
// What an ImGui draw list holds, as parts of a figure.
#pragma once

#include <vector>

#include "gui/model/figure.hpp"

struct ImDrawList;

namespace reber::gui {

/// What an ImGui draw list holds, as areas of one colour and text: glyphs are recognised by their place in the font's
/// texture. Pictures and callbacks are left out.
[[nodiscard]] std::vector<FigureItem> items_of(const ImDrawList& list);

}  // namespace reber::gui
