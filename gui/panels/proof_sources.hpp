// SPDX-License-Identifier: BSD-3-Clause
// Sources of two backends: their differences as a plot, and those beyond the bound as a list.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "gui/model/proof.hpp"
#include "gui/ui/linked_plot.hpp"
#include "gui/ui/shell.hpp"

namespace reber::gui {

/// Keeps its axes as long as the proof stays the same.
class ProofPlot {
 public:
  /// Fills the rest of the tab. A click on a point or a row centres the image on that source.
  void draw(Context& context, const Proof& proof);

 private:
  PlotView view_;
  std::weak_ptr<const Proof> drawn_;
  std::vector<std::size_t> outliers_;  ///< of the pairs, the largest difference first
};

}  // namespace reber::gui
