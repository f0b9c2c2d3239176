// SPDX-License-Identifier: BSD-3-Clause
// Cells of one grid, measured without what their median filter would not follow: trends of the noise, waves of the
// level.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/measure/background/level_trend.hpp"
#include "core/measure/background/noise_trend.hpp"
#include "core/seam/compute/backend.hpp"

namespace reber {

/// What the cells of a plane are measured without.
struct CellTrends {
  std::optional<NoiseTrend> noise;
  int filter = 1;                    ///< side of the median filter about that, in its cells
  std::vector<LevelSurface> levels;  ///< each of what those before it leave
};

/// Cells mended and filtered, about the trends.   returns nothing where no cell is usable; throws as Backend::mesh
[[nodiscard]] std::optional<BackgroundModel> measure_cells(Backend& backend, const Plane& plane, const MeshGrid& grid,
                                                           const MeshOptions& options, const CellTrends& trends,
                                                           const Job& job);

/// The first cells. Where their means or their noise change over a few of them so that the filter would not follow,
/// the trends are found from the cells as they are, and those of the noise again from smaller cells measured without.
///   least_side: waves that the cells do not follow are looked for in cells of half their side, if that is no less;
///   a trend of the noise has cells of half their side or this; 0 for those that there are
[[nodiscard]] std::optional<BackgroundModel> first_cells(Backend& backend, const Plane& plane, const MeshGrid& grid,
                                                         const MeshOptions& options, std::int64_t least_side,
                                                         CellTrends& trends, const Job& job);

/// Levels as they are in a plane without its islands, on the same cells.
void refit_levels(Backend& backend, const Plane& masked, const MeshOptions& options, CellTrends& trends,
                  const Job& job);

}  // namespace reber
