// SPDX-License-Identifier: BSD-3-Clause
// Which values stand beside a colour bar.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/sky/model/unit.hpp"
#include "gui/model/image/render_settings.hpp"

namespace reber::gui {

struct ColourBar {
  std::string unit;
  std::vector<std::pair<double, std::string>> ticks;  ///< part of the bar from its low end, and the value there
};

/// Significant digits, from `least` to 9, with which values of this size tell hundredths of their range apart.
[[nodiscard]] int digits_within(double size, double range, int least);

/// Value that a part of the colours stands for, 0 at their lowest: the way back through contrast, bias and stretch. Not
/// for the histogram's stretch.
[[nodiscard]] double colour_value(double part, const RenderSettings& settings);

/// Round values, at least `gap` of the bar apart: even steps of a linear stretch and of a range far from 0; of the
/// others 0 and 1, 2 and 5 times powers of ten. The ends alone for the histogram's stretch, which has no formula to go
/// back by. None where high is not above low.
[[nodiscard]] ColourBar colour_bar(const RenderSettings& settings, const Unit& unit, double gap = 0.1);

}  // namespace reber::gui
