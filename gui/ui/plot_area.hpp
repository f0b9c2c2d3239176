// SPDX-License-Identifier: BSD-3-Clause
// A small plot in a panel: frame, ticks of round numbers, and positions of values in it.
#pragma once

#include <imgui.h>

#include <algorithm>
#include <string>

#include "core/show/picture/sky_axes.hpp"
#include "gui/ui/theme.hpp"

namespace reber::gui {

/// Area of a plot with linear axes on the current window. Values outside are clipped by the list's clip rectangle.
struct PlotArea {
  ImVec2 from, to;  ///< corners of the inner area, screen units
  double x0 = 0, x1 = 1, y0 = 0, y1 = 1;

  [[nodiscard]] float x(double v) const {
    return from.x + static_cast<float>(std::clamp((v - x0) / (x1 - x0), -2.0, 3.0)) * (to.x - from.x);
  }
  [[nodiscard]] float y(double v) const {
    return to.y - static_cast<float>(std::clamp((v - y0) / (y1 - y0), -2.0, 3.0)) * (to.y - from.y);
  }
  [[nodiscard]] double x_value(float at) const { return x0 + (x1 - x0) * (at - from.x) / (to.x - from.x); }
};

/// Draws frame and ticks; scale multiplies what the labels show.
inline void draw_plot_axes(ImDrawList& list, const PlotArea& plot, bool y_labels, double x_scale = 1,
                           double y_scale = 1) {
  const unsigned dim = palette().text_dim;
  list.AddRect(plot.from, plot.to, dim);
  const float unit = ImGui::GetFontSize();
  const auto across = std::max(2, static_cast<int>((plot.to.x - plot.from.x) / (6 * unit)));
  float free_from = plot.from.x - 1e4f;  // labels that would run into one before are left out
  for (const Tick& tick : round_ticks(plot.x0 * x_scale, plot.x1 * x_scale, across)) {
    const float x = plot.x(tick.value / x_scale), half = 0.5f * ImGui::CalcTextSize(tick.label.c_str()).x;
    list.AddLine({x, plot.to.y - 4}, {x, plot.to.y}, dim);
    if (x - half < free_from) continue;
    list.AddText({x - half, plot.to.y + 2}, dim, tick.label.c_str());
    free_from = x + half + 0.4f * unit;
  }
  if (!y_labels) return;
  const auto up = std::max(1, static_cast<int>((plot.to.y - plot.from.y) / (1.8f * unit)));
  for (const Tick& tick : round_ticks(plot.y0 * y_scale, plot.y1 * y_scale, up)) {
    const float y = plot.y(tick.value / y_scale);
    list.AddLine({plot.from.x, y}, {plot.from.x + 4, y}, dim);
    list.AddText({plot.from.x - 4 - ImGui::CalcTextSize(tick.label.c_str()).x, y - 0.5f * unit}, dim,
                 tick.label.c_str());
  }
}

}  // namespace reber::gui
