// SPDX-License-Identifier: BSD-3-Clause
// Steps, a band of errors, lines and shades on a plot.
#include "gui/panels/spectrum_plot.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "gui/ui/theme.hpp"

namespace reber::gui {
namespace {

ImU32 faint(ImU32 colour, unsigned alpha) { return (colour & ~IM_COL32_A_MASK) | (alpha << IM_COL32_A_SHIFT); }

/// Both axes to the data; a little room above and below.
void fit(PlotView& view, const Spectrum& spectrum, const SpectralTicks& ticks, double factor) {
  std::vector<double> edges, values;
  for (std::size_t i = 0; i < ticks.at.size(); ++i) {
    const auto [left, right] = ticks.ends(i);
    edges.insert(edges.end(), {left, right});
    const double v = factor * spectrum.value[i];
    // Errors of a few noisy channels at the ends of a band would hide the rest: they may leave the plot.
    if (std::isfinite(v)) values.push_back(v);
  }
  if (edges.empty()) return;
  const auto [low, high] = std::ranges::minmax(edges);
  view.x.low = low;
  view.x.high = high;
  if (values.empty()) values = {0, 1};
  values.push_back(0);
  view.y.fit(values);
  view.fitted = true;
}

/// Outline of the values as steps; a gap where there is none.
void draw_steps(ImDrawList& list, const LinkedPlot& plot, const Spectrum& spectrum, const SpectralTicks& ticks,
                double factor) {
  std::vector<ImVec2> path;
  const auto flush = [&] {
    if (path.size() > 1) list.AddPolyline(path.data(), static_cast<int>(path.size()), palette().text, 0, 1.4f);
    path.clear();
  };
  for (std::size_t i = 0; i < ticks.at.size(); ++i) {
    const double v = factor * spectrum.value[i];
    if (!std::isfinite(v)) {
      flush();
      continue;
    }
    const auto [left, right] = ticks.ends(i);
    path.push_back(plot.at(left, v));
    path.push_back(plot.at(right, v));
    if (path.size() > 8000) flush();
  }
  flush();
}

void draw_errors(ImDrawList& list, const LinkedPlot& plot, const Spectrum& spectrum, const SpectralTicks& ticks,
                 double factor) {
  const ImU32 colour = faint(palette().accent, 70);
  for (std::size_t i = 0; i < ticks.at.size(); ++i) {
    const double v = factor * spectrum.value[i], e = factor * spectrum.error[i];
    if (!std::isfinite(v + e)) continue;
    const auto [left, right] = ticks.ends(i);
    const ImVec2 a = plot.at(left, v + e), b = plot.at(right, v - e);
    list.AddRectFilled({std::min(a.x, b.x), a.y}, {std::max(a.x, b.x), b.y}, colour);
  }
}

void draw_range(ImDrawList& list, const LinkedPlot& plot, const PlotView& view, const SpectralTicks& ticks,
                std::pair<std::int64_t, std::int64_t> range) {
  const auto last = static_cast<std::int64_t>(ticks.at.size()) - 1;
  if (range.second > last) return;
  const auto [a0, a1] = ticks.ends(static_cast<std::size_t>(range.first));
  const auto [b0, b1] = ticks.ends(static_cast<std::size_t>(range.second));
  const auto [low, high] = std::minmax({a0, a1, b0, b1});
  const ImVec2 from = plot.at(low, view.y.high), to = plot.at(high, view.y.low);
  list.AddRectFilled(from, to, faint(palette().warn, 40));
  for (const float x : {from.x, to.x}) list.AddLine({x, from.y}, {x, to.y}, faint(palette().warn, 150));
}

std::string told(const Spectrum& spectrum, const SpectralTicks& ticks, std::size_t i, const std::string& unit,
                 double factor) {
  const double v = factor * spectrum.value[i], e = factor * spectrum.error[i];
  std::string text = fmt::format("channel {}", i + 1);
  if (!ticks.unit.empty()) text += fmt::format("   {:.7g} {}", ticks.at[i], ticks.unit);
  text += std::isfinite(v) ? fmt::format("   {:.4g}", v) : "   blank";
  if (std::isfinite(v + e)) text += fmt::format(" \xC2\xB1 {:.2g}", e);
  return std::isfinite(v) ? text + " " + unit : text;
}

}  // namespace

std::pair<double, double> SpectralTicks::ends(std::size_t i) const {
  const double here = at[i];
  const double half_before = i > 0 ? 0.5 * (at[i - 1] - here) : std::nan("");
  const double half_after = i + 1 < at.size() ? 0.5 * (at[i + 1] - here) : std::nan("");
  const double before = std::isfinite(half_before) ? half_before : std::isfinite(half_after) ? -half_after : -0.5;
  const double after = std::isfinite(half_after) ? half_after : -before;
  return {here + before, here + after};
}

std::int64_t SpectralTicks::nearest(double value) const {
  std::int64_t best = -1;
  for (std::size_t i = 0; i < at.size(); ++i)
    if (best < 0 || std::abs(at[i] - value) < std::abs(at[static_cast<std::size_t>(best)] - value))
      best = static_cast<std::int64_t>(i);
  return best;
}

SpectralTicks spectral_ticks(const SpectrumCube& cube, SpectralScale scale) {
  const auto all_finite = [](const std::vector<double>& values) {
    return std::ranges::all_of(values, [](double v) { return std::isfinite(v); });
  };
  const std::string frame = cube.axes().frame().empty() ? "" : ", " + cube.axes().frame();
  SpectralTicks ticks;
  if (scale == SpectralScale::velocity && all_finite(cube.velocity_kms())) {
    ticks = {"velocity (km/s)" + frame, "km/s", cube.velocity_kms()};
  } else if (scale == SpectralScale::frequency && all_finite(cube.frequency_hz())) {
    const bool giga = cube.frequency_hz().front() >= 1e9;
    ticks = {std::string("frequency (") + (giga ? "GHz)" : "MHz)") + frame, giga ? "GHz" : "MHz", cube.frequency_hz()};
    for (double& v : ticks.at) v *= giga ? 1e-9 : 1e-6;
  } else {
    ticks.label = cube.axes().has_spectrum() ? "channel" : cube.axes().played().name;
    for (std::size_t i = 0; i < cube.planes().size(); ++i) ticks.at.push_back(static_cast<double>(i + 1));
  }
  return ticks;
}

SpectrumTouch draw_spectrum_plot(Widgets& widgets, PlotView& view, const Spectrum& spectrum, const SpectralTicks& ticks,
                                 std::int64_t shown, const CubeView& chosen, ImVec2 size) {
  const auto [unit, factor] = readable_unit(spectrum);
  view.x.label = ticks.label;
  view.y.label = unit.empty() ? "value" : unit;
  if (!view.by_hand || !view.fitted) fit(view, spectrum, ticks, factor);
  SpectrumTouch touch;
  LinkedPlot plot("spectrum.plot", view, size, widgets);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (chosen.range) draw_range(list, plot, view, ticks, *chosen.range);
  const ImVec2 zero_from = plot.at(view.x.low, 0), zero_to = plot.at(view.x.high, 0);
  list.AddLine(zero_from, zero_to, faint(palette().text_dim, 120));
  draw_errors(list, plot, spectrum, ticks, factor);
  draw_steps(list, plot, spectrum, ticks, factor);
  const auto line_at = [&](std::int64_t channel, ImU32 colour, float width) {
    const double x = ticks.at[static_cast<std::size_t>(channel)];
    list.AddLine(plot.at(x, view.y.high), plot.at(x, view.y.low), colour, width);
  };
  const auto count = static_cast<std::int64_t>(ticks.at.size());
  if (shown >= 0 && shown < count) line_at(shown, palette().warn, 1.5f);
  const double pointed = [&] {
    const ImVec2 left = plot.at(view.x.low, 0), right = plot.at(view.x.high, 0);
    return view.x.value_at((ImGui::GetMousePos().x - left.x) / (right.x - left.x));
  }();
  if (plot.hovered() && count > 0) {
    touch.hovered = ticks.nearest(pointed);
    line_at(*touch.hovered, faint(palette().text, 90), 1);
  }
  const std::int64_t read = touch.hovered.value_or(shown);
  if (read >= 0 && read < count) plot.text(told(spectrum, ticks, static_cast<std::size_t>(read), unit, factor));
  if (plot.clicked() && count > 0) touch.channel = ticks.nearest(pointed);
  if (const auto box = plot.box(); box && count > 0) {
    const auto [low, high] = std::minmax({ticks.nearest(box->x0), ticks.nearest(box->x1)});
    touch.range = {low, high};
  }
  return touch;
}

}  // namespace reber::gui
