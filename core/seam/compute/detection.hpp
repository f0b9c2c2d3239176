// SPDX-License-Identifier: BSD-3-Clause
// Islands of pixels above the noise, and the sums that measure them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/shape.hpp"
#include "core/base/words.hpp"

namespace reber {

/// A plane of two, pixel by pixel, in float. difference: a - b, blank where either is. larger, smaller: the
/// larger or smaller of the two, the other where one is blank.
enum class PlaneRule { difference, larger, smaller };

enum class Connectivity { four = 4, eight = 8 };
template <>
inline constexpr auto words<Connectivity> = std::to_array<Word<Connectivity>>(
    {{"4", Connectivity::four, "4 neighbours"}, {"8", Connectivity::eight, "8 neighbours"}});

/// An island is a connected set of at least min_area pixels with S/N > flood, one of them with S/N > seed.
/// S/N = (pixel - mean) / rms in float, negated where `negative`. Blank pixels and pixels of zero or blank rms
/// belong to none.
struct DetectOptions {
  double seed = 5;
  double flood = 3;
  std::int64_t min_area = 1;
  Connectivity connectivity = Connectivity::eight;
  bool negative = false;
  bool operator==(const DetectOptions&) const = default;
};

/// Labels of one plane, kept where the backend keeps them. Islands are numbered 1..count in raster order of their
/// first pixel: the same on every backend, for any tiling and any number of threads.
class IslandMap {
 public:
  virtual ~IslandMap() = default;
  [[nodiscard]] virtual Shape shape() const = 0;
  [[nodiscard]] virtual std::int64_t count() const = 0;
  [[nodiscard]] virtual const DetectOptions& options() const = 0;
};

/// The islands' pixels as runs of neighbours in a row, in raster order: some thousandth of the label map's size.
struct LabelRuns {
  struct Run {
    std::int32_t y, x0, x1;  ///< x1 one past the end
    std::int32_t label;
    bool operator==(const Run&) const = default;
  };
  Shape shape;
  std::vector<Run> runs;
  bool operator==(const LabelRuns&) const = default;
};

/// Sums over one island. d = pixel - mean (float), negated for negative detections, then summed in double with x and y
/// taken from the island's first pixel (first_y, first_x). The order of summation is fixed (docs/numerics.md#measure),
/// so every backend gives the same bits.
struct IslandSums {
  std::int64_t npix = 0;
  std::int32_t first_y = 0, first_x = 0;
  std::int32_t y0 = 0, x0 = 0, y1 = 0, x1 = 0;  ///< bounding box, y1 and x1 one past the end
  std::int32_t peak_y = 0, peak_x = 0;          ///< of the largest d; the first in raster order where several are
  float peak = 0;                               ///< the pixel there, as it stands in the image
  float peak_mean = 0, peak_rms = 0;            ///< background and noise there
  double s = 0, sx = 0, sy = 0, sxx = 0, sxy = 0, syy = 0;
};

/// Pixels of some islands, raster order within each: what deblending and fits work on.
struct IslandPixels {
  std::vector<std::int64_t> label;     ///< of each island, ascending
  std::vector<std::int64_t> first{0};  ///< of each island in the arrays below; one more at the end
  std::vector<std::int32_t> y, x;
  std::vector<float> pixel, mean, rms;  ///< as in the image; background and noise there
};

}  // namespace reber
