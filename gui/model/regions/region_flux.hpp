// SPDX-License-Identifier: BSD-3-Clause
// From the brightness of a region's pixels to a flux density and its error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/shape.hpp"
#include "core/sky/model/beam_field.hpp"
#include "core/sky/model/unit.hpp"
#include "core/sky/model/wcs.hpp"

namespace reber::gui {

/// Areas of the pixels of a rectangle, square degrees; NaN where there is no sky. A beam that is constant in pixels is
/// told by the geometry of the image's middle (core/sky/model/grid_geometry.hpp), so brightness per beam takes all
/// pixels for as large as that one.
class PixelAreas {
 public:
  PixelAreas(const Rect& rect, Shape image, const Wcs& wcs, const Unit& unit);
  [[nodiscard]] double at(std::int64_t x, std::int64_t y) const;

 private:
  Rect rect_;
  double one_;
  BeamField by_place_;
};

/// Over the finite pixels of a region; areas in square degrees.
struct RegionSums {
  std::int64_t pixels = 0;
  double value = 0, area = 0, value_area = 0;

  void add(float finite, double pixel_deg2) {
    ++pixels;
    value += static_cast<double>(finite);
    area += pixel_deg2;
    value_area += static_cast<double>(finite) * pixel_deg2;
  }
};

/// What brightness means in one plane.
struct BrightnessScale {
  Unit unit;
  std::optional<Beam> beam;
  double frequency_hz = 0;  ///< for K; NaN where unknown
};

struct RegionFlux {
  double jy = 0;        ///< Unit::total_name()
  std::string why_not;  ///< empty where there is a flux
};
[[nodiscard]] RegionFlux flux_of(const RegionSums& sums, const BrightnessScale& scale);

/// The flux of a region whose pixels all have the brightness 1; NaN without a flux.
[[nodiscard]] double mean_to_jy(const RegionSums& sums, const BrightnessScale& scale);
/// Error of the flux where the noise of a pixel is `sigma`, the same within a beam and independent between beams: the
/// sum over n pixels varies as sigma^2 n b, b the beam in pixels; less than a beam as sigma^2 n^2.   [as flux_of]
[[nodiscard]] double sum_error(const RegionSums& sums, const BrightnessScale& scale, double sigma);
/// Of the mean brightness, by the same rule, in the image's unit.
[[nodiscard]] double mean_error(const RegionSums& sums, const BrightnessScale& scale, double sigma);

}  // namespace reber::gui
