// SPDX-License-Identifier: BSD-3-Clause
// Plots of a match: offsets of the pairs, flux against flux, and the part of B that A found.
#pragma once

#include "gui/model/workbench.hpp"
#include "gui/ui/linked_plot.hpp"
#include "gui/ui/shell.hpp"

namespace reber::gui {

class MatchPlots {
 public:
  /// Beside each other; one of them, with buttons to choose it, where they would be too narrow. The match has a
  /// summary.
  void draw(Context& context, const MatchWork& match);
  /// The next match's values decide what the axes show.
  void forget_ranges() { offsets_.fitted = fluxes_.fitted = complete_.fitted = false; }

 private:
  PlotView offsets_, fluxes_, complete_;
  int chosen_ = 0;  ///< where one is shown
};

}  // namespace reber::gui
