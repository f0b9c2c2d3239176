// SPDX-License-Identifier: BSD-3-Clause
// Cuts through an image: a row, a column, or any line.
#pragma once

#include <vector>

#include "core/sky/model/wcs.hpp"
#include "gui/model/image/pyramid.hpp"

namespace reber::gui {

/// values[i] at first + i step: along x or y in 0-based pixels; along a line in pixels from its start. NaN where blank.
struct Profile {
  double first = 0, step = 1;
  std::vector<float> values;
};

/// Pixels [x0, x1] of row y, cut to the image; empty outside it or while the pixels are not there yet.
[[nodiscard]] Profile row_profile(const Pyramid& pixels, std::int64_t y, std::int64_t x0, std::int64_t x1);
[[nodiscard]] Profile column_profile(const Pyramid& pixels, std::int64_t x, std::int64_t y0, std::int64_t y1);
/// Bilinear values at steps of at most one pixel. Blank neighbours are left out and the others' weights made up; blank
/// where the nearest pixel is.
[[nodiscard]] Profile line_profile(const Pyramid& pixels, PixelPosition from, PixelPosition to);

/// How the finite values of a profile are spread. They are as many as its steps: neighbours share pixels.
struct ProfileSpread {
  std::int64_t values = 0;                ///< finite ones; all else is NaN, and there are no counts, where it is 0
  double mean, median, sigma, low, high;  ///< sigma: the root of the mean square about the mean
  std::vector<std::int64_t> counts;  ///< of equal steps from low to high, which both count; one where these are equal
};
[[nodiscard]] ProfileSpread spread_of(const Profile& profile, int steps);

/// Least and largest value of each screen column, so that a narrow peak is drawn whatever the zoom. NaN, NaN where a
/// column has no finite value.
struct ProfileColumn {
  float low, high;
};
[[nodiscard]] std::vector<ProfileColumn> decimate(const Profile& profile, int columns);

}  // namespace reber::gui
