// SPDX-License-Identifier: BSD-3-Clause
// Lines of equal value by marching squares.
#pragma once

#include <functional>
#include <vector>

#include "core/base/progress.hpp"
#include "core/sky/model/wcs.hpp"
#include "gui/model/image/pyramid.hpp"

namespace reber::gui {

struct Polyline {
  std::vector<PixelPosition> points;
  bool closed = false;
};

/// Where on the edge from node (x0, y0) to (x1, y1) the level is crossed, given the linear guess in [0, 1].
using RefineCrossing = std::function<double(int x0, int y0, int x1, int y1, double guess)>;

/// Lines on which a field on a regular mesh has the value `level`, in mesh units; the side at or above it counts as
/// inside. A cell with a blank corner has no line in it, so lines end at blank areas; in a saddle the mean of the four
/// corners decides.   values  shape (ny, nx)
[[nodiscard]] std::vector<Polyline> trace_level(const float* values, int ny, int nx, double level,
                                                const RefineCrossing& refine = {});

/// At which values contours are drawn.
struct ContourLevels {
  enum class Rule { sigma, percentile } rule = Rule::sigma;
  double middle = 0, sigma = 0;  ///< of the layer
  double first = 3;              ///< sigmas above and below the middle
  double factor = 2;             ///< from one level to the next
  int count = 6;
  bool negative = true;                                  ///< -first too
  std::vector<double> percents{90, 95, 99, 99.5, 99.9};  ///< of the layer's pixels below a line
  std::vector<double> at_percents;                       ///< the values there; empty where they are not known yet
  double smooth_px = 0;  ///< FWHM of a Gaussian that the image is smoothed with, in image pixels
  friend bool operator==(const ContourLevels&, const ContourLevels&) = default;

  /// Values in rising order; empty where sigma is not positive and finite, or the percentiles not known.
  [[nodiscard]] std::vector<double> values() const;
};

struct Contour {
  double level = 0;
  bool below_middle = false;    ///< drawn dashed
  std::vector<Polyline> lines;  ///< in image pixels, 0-based
};

/// "90, 95, 99" between 0 and 100, put in order.   throws InputError
[[nodiscard]] std::vector<double> parse_percents(const std::string& text);

/// The field smoothed in place by a round Gaussian over its known values; blank ones stay blank.
///   values  shape (ny, nx);  fwhm in its pixels, 0: nothing is done
void smooth_field(float* values, int ny, int nx, double fwhm);

/// Contours of the part of an image in `area` (level-0 pixels), from the pyramid's level that has at most `most_side`
/// nodes a side there.   throws Cancelled
[[nodiscard]] std::vector<Contour> contours_of(const Pyramid& pixels, const Rect& area, const ContourLevels& levels,
                                               std::int64_t most_side, const Progress& progress);

}  // namespace reber::gui
