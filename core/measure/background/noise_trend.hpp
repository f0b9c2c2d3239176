// SPDX-License-Identifier: BSD-3-Clause
// Noise that rises and falls over a few cells of the mesh, as where an image was divided by the beams of its pointings.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/seam/compute/background.hpp"

namespace reber {

/// The logarithm of the noise: a polynomial of second order over the image, that of 1 / Gaussian wherever its centre
/// is, and values at the centres of cells.
struct NoiseTrend {
  std::array<double, 6> factor{};  ///< of 1, x, y, x^2, xy, y^2; x and y from -1 to 1 over the cells
  MeshGrid cells = {};
  std::vector<double> logs = {};  ///< at the cells, more than the polynomial
  double most = 0;                ///< the sum is not followed beyond this
  double level = 0;               ///< of the image that has this noise: the middle one of its cells' means

  /// The noise at a place in pixels: values of cells bilinear, and on beyond the outermost ones.
  [[nodiscard]] double at(double y, double x) const;
  /// At nodes.
  [[nodiscard]] std::vector<float> at(const MeshGrid& nodes) const;
};

/// A value and the terms that a polynomial of second order has at its place.
struct TrendCell {
  std::array<double, 6> terms;
  double value;
};
/// Factors of the terms by least squares; nothing where the cells do not determine them.
[[nodiscard]] std::optional<std::array<double, 6>> polynomial_of(std::span<const TrendCell> cells);

/// Whether the noise changes so that a median filter over the cells would not follow: among some 500 cells, the filter
/// is more than 6 % off a local polynomial through the cells at a hundredth, three at least.
///   not with more than 2^14 cells
[[nodiscard]] bool filter_cuts_noise(const MeshGrid& grid, const MeshCells& cells, int filter);

/// The noise of all cells: a polynomial over the image as far as it describes them, and of what it leaves the median
/// filter's values or those of local polynomials. Which of both stands is weighed cell by cell, by what either leaves
/// of the cells around (Mallows' C_p): there is no place at which the trend changes by much because a cell changed by
/// little. Where the level is not that of the image, to .3 rms, there is emission, and the filter stands.
///   cells: mean and rms, not filtered;   filter: side of the median filter
[[nodiscard]] NoiseTrend noise_trend(const MeshGrid& grid, const MeshCells& cells, int filter);

/// The trend on nodes an eighth of a cell apart, about its level.
[[nodiscard]] BackgroundModel model_of(const NoiseTrend& trend, const MeshGrid& cells);

/// What was measured of an image less such a model's mean and over its rms, as of the image, on the same nodes.
[[nodiscard]] BackgroundModel with_trend(const BackgroundModel& measured, const BackgroundModel& trend);

}  // namespace reber
