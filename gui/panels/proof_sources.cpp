// SPDX-License-Identifier: BSD-3-Clause
// Sources of two backends: their differences as a plot, and those beyond the bound as a list.
#include "gui/panels/proof_sources.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "gui/model/workbench.hpp"
#include "gui/ui/fields.hpp"
#include "gui/ui/theme.hpp"

namespace reber::gui {
namespace {

double largest(const ProofSources::Pair& pair) { return std::max(std::abs(pair.flux_sigma), pair.position_sigma); }

/// Fits the axes to a proof that was not drawn before, and finds its outliers.
void begin_plot(const Proof& proof, PlotView& view, std::vector<std::size_t>& outliers) {
  view.x.label = "S/N";
  view.x.logarithmic = true;
  view.y.label = "difference / error";
  view.x.fit(proof.sources.snr);
  view.y.fit(proof.sources.flux_difference_sigma);
  view.fitted = true;
  outliers.clear();
  for (std::size_t i = 0; i < proof.sources.pairs.size(); ++i)
    if (!(largest(proof.sources.pairs[i]) <= kFitBound)) outliers.push_back(i);
  std::ranges::stable_sort(outliers, std::ranges::greater{},
                           [&](std::size_t i) { return largest(proof.sources.pairs[i]); });
}

/// Centres the image on a source and selects it, where the shown result has it.
void show_pair(Context& context, const ProofSources::Pair& pair) {
  Document* document = context.state.find(context.state.workbench->proof.document);
  if (document == nullptr) return;
  for (std::size_t i = 0; i < context.state.documents.size(); ++i)
    if (context.state.documents[i].get() == document) context.state.active = static_cast<std::int64_t>(i);
  document->view.centre = {pair.tested.x, pair.tested.y};
  document->view.zoom = std::max(document->view.zoom, 4.0);
  constexpr double kReach = 2;
  if (const std::int64_t row = nearest_source(document->shapes, pair.tested.x, pair.tested.y, kReach); row >= 0)
    document->selection.select_only(row);
}

std::string words_of(const Proof& proof, const ProofSources::Pair& pair) {
  const Source &a = pair.tested, &b = pair.oracle;
  return fmt::format(
      "x {:.2f}  y {:.2f}  S/N {:.1f}\n{}: {:.4g} +- {:.2g} mJy\n{}: {:.4g} +- {:.2g} mJy\n{:.3g} of its error", b.x,
      b.y, b.snr, proof.tested, 1e3 * a.total, 1e3 * a.e_total, proof.oracle, 1e3 * b.total, 1e3 * b.e_total,
      pair.flux_sigma);
}

/// The pair nearest to the mouse; empty where none is near.
std::optional<std::size_t> pair_under(const LinkedPlot& area, const ProofSources& sources) {
  constexpr float kReach = 9;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  std::optional<std::size_t> best;
  float least = kReach;
  for (std::size_t i = 0; i < sources.snr.size(); ++i) {
    if (!area.shows(sources.snr[i], sources.flux_difference_sigma[i])) continue;
    const ImVec2 p = area.at(sources.snr[i], sources.flux_difference_sigma[i]);
    const float away = std::hypot(p.x - mouse.x, p.y - mouse.y);
    if (away > least) continue;
    least = away;
    best = i;
  }
  return best;
}

/// Sources that differ by more than the bound, the worst first; a click shows one.
void draw_outliers(Context& context, const Proof& proof, const std::vector<std::size_t>& outliers, float width) {
  ImGui::BeginChild("##outliers", {width, 0});
  ImGui::TextDisabled("%zu beyond %.2g of their error", outliers.size(), kFitBound);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(outliers.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const ProofSources::Pair& pair = proof.sources.pairs[outliers[static_cast<std::size_t>(i)]];
      ImGui::PushID(i);
      const std::string text = fmt::format("{:+.3g}  at {:.0f}, {:.0f}", pair.flux_sigma, pair.oracle.x, pair.oracle.y);
      if (ImGui::Selectable(text.c_str())) show_pair(context, pair);
      context.widgets.item(fmt::format("prove.outlier.{}", i));
      tip(words_of(proof, pair));
      ImGui::PopID();
    }
  }
  ImGui::EndChild();
}

}  // namespace

void ProofPlot::draw(Context& context, const Proof& proof) {
  if (drawn_.lock().get() != &proof || !view_.fitted) {
    begin_plot(proof, view_, outliers_);
    drawn_ = context.state.workbench->proof.proof;
  }
  const float list = 15 * ImGui::GetFontSize();
  draw_outliers(context, proof, outliers_, list);
  ImGui::SameLine();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  LinkedPlot area("prove.plot", view_, {room.x, std::max(10 * ImGui::GetFontSize(), room.y)}, context.widgets);
  area.line({1e-3, 1e9}, {kFitBound, kFitBound}, palette().warn, 1);
  area.line({1e-3, 1e9}, {-kFitBound, -kFitBound}, palette().warn, 1);
  area.points(proof.sources.snr, proof.sources.flux_difference_sigma, {}, palette().accent, 4);
  if (!area.hovered()) return;
  const auto under = pair_under(area, proof.sources);
  if (!under) return;
  const ProofSources::Pair& pair = proof.sources.pairs[*under];
  area.marker(proof.sources.snr[*under], proof.sources.flux_difference_sigma[*under], palette().plot_selected, 6);
  if (area.clicked()) show_pair(context, pair);
  ImGui::SetTooltip("%s", words_of(proof, pair).c_str());
}

}  // namespace reber::gui
