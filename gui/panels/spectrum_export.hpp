// SPDX-License-Identifier: BSD-3-Clause
// The button of the spectrum that writes it: as a table, or as a plot.
#pragma once

#include "gui/panels/spectrum_plot.hpp"
#include "gui/ui/plot_export.hpp"

namespace reber::gui {

class SpectrumExport {
 public:
  void draw(Context& context, const Document& document, const Spectrum& spectrum, const SpectrumCube& cube,
            const SpectralTicks& ticks);

 private:
  PlotExport export_;
};

}  // namespace reber::gui
