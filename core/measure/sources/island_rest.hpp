// SPDX-License-Identifier: BSD-3-Clause
// The books of an island: what its rows hold of its pixels, and what they leave.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/measure/sources/source.hpp"

namespace reber {

/// Fewest pixels whose second moments say something of the shape, and of a part that an island is split into.
inline constexpr std::int64_t kPixelsForShape = 6;

/// Rows of an island that are pieces of emission where most of them were found in what others left.
inline constexpr std::ptrdiff_t kManyRows = 4;

/// What the rows of an island leave of its pixels, where that is flux of its own: above `least_sigma` errors and a
/// twentieth of the island's. Pixels around it count where the Gaussians are above a quarter of the noise. Its sums are
/// those of the pixels less the rows' Gaussians, scaled to what rows with moments leave as well. rows: of the island;
/// pixels: of the island, less background;   area: of the beam in pixels
///   around: pixels around the island; may be empty
[[nodiscard]] std::optional<SourceRow> rest_of(std::span<const SourceRow> rows, const FitPixels& pixels, double area,
                                               double least_sigma = 5, const FitPixels& around = {});

/// Sums and moments of values at pixels, about the first pixel that the sums state.
void sum_moments(const FitPixels& pixels, std::span<const double> values, IslandSums& sums);
/// Of the sum and all moments.
void multiply_sums(IslandSums& sums, double factor);
/// FWHM^2 of the Gaussian that has the second moments of the sums.
[[nodiscard]] Covariance shape_of_moments(const IslandSums& sums);

/// Error of a sum over pixels whose noise is correlated over twice the beam's area.
[[nodiscard]] double error_of_sum(std::int64_t pixels, double rms, double area);

/// Whether a source covers more than twice the pixels that a point of its peak would: no Gaussian is to be read into
/// its moments if none could be fitted. Diffuse emission just above the threshold would be given twice its flux. ratio:
/// of the peak to the threshold
[[nodiscard]] bool wider_than_point(const IslandSums& sums, double ratio, const Covariance& beam);

/// Sets isl_rest of all rows of one image.
void set_rests(std::vector<Source>& sources);

/// The sums of the emission around a core: those of the source without the core's Gaussian. Where little remains it is
/// the core's wings: returns nothing, and the core stands for the source.
/// seed: threshold in rms that the emission has to reach under the core
[[nodiscard]] std::optional<SourceRow> without_core(const SourceRow& source, const GaussianComponent& core,
                                                    double seed);

/// One total for all rows of an island, where the beam varies: that of the row with the brightest pixel.
void share_island_totals(std::vector<Source>& sources);

}  // namespace reber
