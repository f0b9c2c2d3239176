// SPDX-License-Identifier: BSD-3-Clause
// Terms of the background that cells are measured without: waves of the level, a trend of the noise.
#pragma once

#include <optional>
#include <vector>

#include "core/measure/background/level_trend.hpp"
#include "core/measure/background/noise_trend.hpp"

namespace reber {

struct Measuring;

/// What the cells of a plane are measured without.
struct CellTrends {
  std::vector<LevelSurface> levels;        ///< each of what those before it leave
  std::optional<NoiseTrend> noise;         ///< about these
  std::optional<BackgroundModel> divided;  ///< that trend, once it is found, at nodes for its cells
  int filter = 1;                          ///< side of the median filter about that, in its cells

  [[nodiscard]] bool none() const { return levels.empty() && !noise; }
};

/// The trends as a background.   grid: the cells that will be measured
[[nodiscard]] BackgroundModel model_of(const CellTrends& trends, const MeshGrid& grid);

/// First pass: waves that the cells' median filter cuts off, and those that it cuts off in cells of half the side,
/// where much is left. Later: these waves as they are in the pixels of the pass, on the same cells.
void follow_waves(Measuring& background);

/// First pass: where the noise changes over a few cells so that the filter would not follow, its trend is found from
/// the cells as they are, and again from smaller cells measured without. Later passes keep it.
void follow_noise(Measuring& background);

/// Cells about a trend of the noise: by how much a cell of few beams reads low.
void correct_few_beams(Measuring& background);

/// The model of cells about trends becomes that of the pixels.
void put_trends_back(Measuring& background);

}  // namespace reber
