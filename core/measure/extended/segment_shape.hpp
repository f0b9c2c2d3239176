// SPDX-License-Identifier: BSD-3-Clause
// Outline and shape numbers of a set of pixels.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/shape.hpp"
#include "core/sky/mask/mask.hpp"
#include "core/sky/model/beam.hpp"
#include "core/sky/model/wcs.hpp"

namespace reber {

/// The longest outline of a mask along the sides of its pixels, thinned (Douglas and Peucker 1973) until it has at most
/// `most` corners; pixels of the mask's own grid. Within half a pixel of the outline where that suffices.
[[nodiscard]] std::vector<PixelPosition> outline_of_mask(const Mask& mask, std::size_t most = 200);

/// Largest distance between two corners.
[[nodiscard]] double largest_extent(std::span<const PixelPosition> outline);

/// Second moments about a centre.
struct Moments {
  double sum = 0, x = 0, y = 0;   ///< sum of the values; centroid
  double xx = 0, xy = 0, yy = 0;  ///< variances
  [[nodiscard]] bool positive() const { return sum > 0 && xx > 0 && yy > 0 && xx * yy > xy * xy; }
  /// FWHM^2 of the Gaussian of these variances.
  [[nodiscard]] Covariance fwhm2() const;
};
/// Of the finite values where `inside` is not 0; both row-major of one shape.
[[nodiscard]] Moments moments_of(std::span<const float> values, const Mask& inside);

/// How the brightness lies within the outline.
struct Rim {
  double inner = 0;     ///< mean within .4 of the way from the centre to the ellipse of the pixels' moments
  double outer = 0;     ///< mean of the mask's pixels beyond
  double coverage = 0;  ///< part of 24 sectors about the centre that hold pixels of the mask beyond
  double inner_pixels = 0;
};
/// values: row-major of the mask's shape; inner takes all finite ones, in the mask or not
[[nodiscard]] Rim rim_of(std::span<const float> values, const Mask& mask);

}  // namespace reber
