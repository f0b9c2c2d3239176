// SPDX-License-Identifier: BSD-3-Clause
// Plots of a match.
#include "gui/panels/match_plots.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "gui/ui/theme.hpp"

namespace reber::gui {
namespace {

constexpr std::array<const char*, 3> kNames{"offsets", "fluxes", "completeness"};
constexpr float kLeastWidth = 13;  ///< of a plot, in letters' heights

/// What is plotted, in the units of the axes: Jy.
struct Plotted {
  std::vector<double> flux_a, flux_b;
  Completeness completeness;
};

Plotted plotted_of(const MatchWork& match) {
  const auto entry = [](const std::vector<double>& values, std::int64_t row) {
    return values.empty() ? NAN : values[static_cast<std::size_t>(row)];
  };
  Plotted plotted;
  for (const MatchPair& pair : match.summary->pairs) {
    plotted.flux_a.push_back(entry(match.list_a.total, pair.a));
    plotted.flux_b.push_back(entry(match.list_b.total, pair.b));
  }
  std::vector<std::uint8_t> found(static_cast<std::size_t>(match.list_b.rows), 1);
  for (const std::int64_t row : match.only_b) found[static_cast<std::size_t>(row)] = 0;
  if (!match.list_b.total.empty()) plotted.completeness = make_completeness(match.list_b.total, found, 12);
  return plotted;
}

void draw_completeness(LinkedPlot& area, const Completeness& completeness) {
  std::vector<double> centres;
  for (std::size_t i = 0; i < completeness.fraction.size(); ++i) {
    centres.push_back(std::sqrt(completeness.edges[i] * completeness.edges[i + 1]));
    area.error_bar(centres.back(), completeness.low[i], completeness.high[i], palette().text_dim);
  }
  area.line(centres, completeness.fraction, palette().accent, 1.8f);
  for (std::size_t i = 0; i < centres.size(); ++i)
    area.marker(centres[i], completeness.fraction[i], palette().accent, 3);
}

void choose(Context& context, int& chosen) {
  const ImGuiStyle& style = ImGui::GetStyle();
  const float right = ImGui::GetWindowPos().x + ImGui::GetContentRegionMax().x;
  for (int i = 0; i < 3; ++i) {
    const float wide = ImGui::GetFrameHeight() + style.ItemInnerSpacing.x +
                       ImGui::CalcTextSize(kNames.at(static_cast<std::size_t>(i))).x;
    if (i > 0 && ImGui::GetItemRectMax().x + style.ItemSpacing.x + wide < right) ImGui::SameLine();
    ImGui::RadioButton(kNames.at(static_cast<std::size_t>(i)), &chosen, i);
    context.widgets.item(fmt::format("match.plot.{}", kNames.at(static_cast<std::size_t>(i))));
  }
}

}  // namespace

void MatchPlots::draw(Context& context, const MatchWork& match) {
  const MatchSummary& s = *match.summary;
  const Plotted plotted = plotted_of(match);
  offsets_.x.label = "longitude B - A (arcsec)";
  offsets_.y.label = "latitude B - A (arcsec)";
  fluxes_.x.label = "total flux A (Jy)";
  fluxes_.y.label = "total flux B (Jy)";
  fluxes_.x.logarithmic = fluxes_.y.logarithmic = complete_.x.logarithmic = true;
  complete_.x.label = "total flux B (Jy)";
  complete_.y.label = "part of B that A has";
  for (PlotView* view : {&offsets_, &fluxes_, &complete_}) {
    if (view->fitted) continue;
    const bool offsets = view == &offsets_, fluxes = view == &fluxes_;
    view->x.fit(offsets ? s.values.d_lon : fluxes ? plotted.flux_a : plotted.completeness.edges);
    if (offsets || fluxes) view->y.fit(offsets ? s.values.d_lat : plotted.flux_b);
    if (!offsets && !fluxes) view->y.low = -0.03, view->y.high = 1.05;
    view->fitted = true;
  }
  const float unit = ImGui::GetFontSize(), gap = 0.3f * unit;
  const bool all = ImGui::GetContentRegionAvail().x > 3 * kLeastWidth * unit;
  if (!all) choose(context, chosen_);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const ImVec2 size{all ? (room.x - 2 * gap) / 3 : room.x, std::max(8 * unit, room.y)};
  for (int i = 0; i < 3; ++i) {
    if (!all && i != chosen_) continue;
    if (all && i > 0) ImGui::SameLine(0, gap);
    PlotView& view = i == 0 ? offsets_ : i == 1 ? fluxes_ : complete_;
    LinkedPlot area(fmt::format("match.{}", kNames.at(static_cast<std::size_t>(i))), view, size, context.widgets);
    if (i == 0) area.line({-1e6, 1e6}, {0, 0}, palette().text_dim, 1);
    if (i == 0) area.line({0, 0}, {-1e6, 1e6}, palette().text_dim, 1);
    if (i == 0) area.points(s.values.d_lon, s.values.d_lat, {}, palette().accent, 0.26f * unit);
    if (i == 1) area.line({1e-9, 1e6}, {1e-9, 1e6}, palette().text_dim, 1);
    if (i == 1) area.points(plotted.flux_a, plotted.flux_b, {}, palette().accent, 0.26f * unit);
    if (i == 2) draw_completeness(area, plotted.completeness);
  }
}

}  // namespace reber::gui
