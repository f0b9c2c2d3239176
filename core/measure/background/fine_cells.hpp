// SPDX-License-Identifier: BSD-3-Clause
// Smaller cells near bright sources, measured there alone.
#pragma once

#include <optional>
#include <vector>

#include "core/measure/background/background_pixels.hpp"
#include "core/seam/compute/background.hpp"

namespace reber {

/// Cells of a grid that serve near sources.
struct FineCells {
  MeshGrid grid;
  double near = 0, far = 0;  ///< pixels from a source: the cells' weight is 1 up to near and falls linearly to 0 at far
};

/// The model on the fine cells' nodes: their values near the sources, the coarse model's elsewhere. Cells are measured
/// where they have a weight, and in the windows of the median filter about these: the values of all cells measured,
/// mended and filtered, save where a cell without enough finite pixels would take its neighbours' from beyond.
///   returns nothing where no cell near a source has enough finite pixels   throws DeviceError, Cancelled
[[nodiscard]] std::optional<BackgroundModel> with_fine_cells(const BackgroundPixels& pixels,
                                                             const BackgroundModel& coarse, const FineCells& fine,
                                                             const std::vector<BrightSource>& sources,
                                                             const MeshOptions& options);

}  // namespace reber
