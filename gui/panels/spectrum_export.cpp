// SPDX-License-Identifier: BSD-3-Clause
// A spectrum into a file: any catalogue format, or a plot as PDF, SVG or PNG.
#include "gui/panels/spectrum_export.hpp"

#include <cmath>
#include <utility>

namespace reber::gui {
namespace {

reber::Panel plot_of(const Spectrum& spectrum, const SpectralTicks& ticks) {
  const auto [unit, factor] = readable_unit(spectrum);
  PanelSeries steps, bars;
  steps.line = true;
  steps.points = bars.points = false;
  steps.colour = bars.colour = 0;
  bool errors = false;
  for (std::size_t i = 0; i < ticks.at.size(); ++i) {
    const auto [left, right] = ticks.ends(i);
    const double v = factor * spectrum.value[i], e = factor * spectrum.error[i];
    steps.x.insert(steps.x.end(), {left, right});
    steps.y.insert(steps.y.end(), {v, v});
    bars.x.push_back(ticks.at[i]);
    bars.y.push_back(v);
    bars.low.push_back(v - e);
    bars.high.push_back(v + e);
    errors = errors || std::isfinite(e);
  }
  reber::Panel panel;
  panel.title = spectrum.what;
  panel.x_label = ticks.label;
  panel.y_label = unit;
  if (errors) panel.series.push_back(std::move(bars));
  panel.series.push_back(std::move(steps));
  panel.y_lines = {0};
  return panel;
}

}  // namespace

void SpectrumExport::draw(Context& context, const Document& document, const Spectrum& spectrum,
                          const SpectrumCube& cube, const SpectralTicks& ticks) {
  export_.draw(
      context, "spectrum", document, "The spectrum that is shown, with its errors.",
      [&] { return spectrum_table(spectrum, cube, document.path); }, [&] { return plot_of(spectrum, ticks); });
}

}  // namespace reber::gui
