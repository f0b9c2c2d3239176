// SPDX-License-Identifier: BSD-3-Clause
// Noise that rises over a few cells of the mesh, as where the image was divided by a primary beam.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/seam/compute/background.hpp"

namespace reber {

/// The logarithm of the noise: a polynomial of second order over the image, that of 1 / Gaussian wherever its centre
/// is, or values at the centres of cells.
struct NoiseTrend {
  Shape image;
  std::array<double, 6> factor{};  ///< of 1, x, y, x^2, xy, y^2; x and y from -1 to 1 over the image
  double most = 0;                 ///< it is not followed beyond this: the highest at a cell that it was fitted to
  MeshGrid cells = {};
  std::vector<double> logs = {};  ///< at the cells; none where the polynomial stands

  /// The noise at a place in pixels. Of cells: bilinear in the logarithm, and on beyond the outermost ones.
  [[nodiscard]] double at(double y, double x) const;
};

/// A value and the terms that a polynomial of second order has at its place.
struct TrendCell {
  std::array<double, 6> terms;
  double value;
};
/// Factors of the terms by least squares; nothing where the cells do not determine them.
[[nodiscard]] std::optional<std::array<double, 6>> polynomial_of(std::span<const TrendCell> cells);

/// Fitted to the rms of cells by least squares, cells beyond 3 times the scatter left out.
///   rms: of the cells, not filtered; one that is not finite and positive takes no part
///   returns nothing for fewer than 12 cells, or where the scatter about the polynomial is not below half of that of
///   the cells
[[nodiscard]] std::optional<NoiseTrend> noise_trend(const MeshGrid& grid, const std::vector<float>& rms);

/// Whether the median filter would move the trend by more than 4 % at any cell.
[[nodiscard]] bool too_steep(const NoiseTrend& trend, const MeshGrid& grid, int filter);

/// The trend on nodes an eighth of a cell apart, without background.
[[nodiscard]] BackgroundModel model_of(const NoiseTrend& trend, const MeshGrid& cells);

/// What was measured of an image that had been divided by the trend, times the trend, on such nodes.
[[nodiscard]] BackgroundModel with_trend(const BackgroundModel& measured, const NoiseTrend& trend);

}  // namespace reber
