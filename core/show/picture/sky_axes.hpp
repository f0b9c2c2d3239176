// SPDX-License-Identifier: BSD-3-Clause
// Ticks of axes: round numbers, sexagesimal sky positions and where they meet the edges of an image.
#pragma once

#include <string>
#include <vector>

#include "core/base/shape.hpp"
#include "core/sky/model/wcs.hpp"

namespace reber {

struct Tick {
  double at = 0;      ///< position along the edge, pixels of the image
  double value = 0;   ///< degrees on the sky (longitude not wrapped), or the number itself
  std::string label;  ///< in Canvas::text's markup
};

/// Which sky coordinate an edge shows.
enum class SkyAxis { longitude, latitude };

/// Ticks of a sky coordinate along the bottom edge (y = -0.5) or the left one (x = -0.5). Empty where the edge is off
/// the sky or the coordinate does not change along it.
[[nodiscard]] std::vector<Tick> sky_ticks(const Wcs& wcs, Shape shape, SkyAxis axis, bool bottom, int wanted);

/// Line of constant longitude or latitude inside the image, as pixel positions; split where it leaves the sky.
[[nodiscard]] std::vector<std::vector<PixelPosition>> sky_line(const Wcs& wcs, Shape shape, SkyAxis axis, double value);

/// The least round step, in degrees, that is not below `wanted`: of seconds, minutes and hours of time where `hours`,
/// of arc else; at most 6 h or 45 degrees.
[[nodiscard]] double round_sky_step(double wanted, bool hours);

/// Round numbers within [low, high], about `wanted` of them.
[[nodiscard]] std::vector<Tick> round_ticks(double low, double high, int wanted);
/// Powers of ten within [low, high].
[[nodiscard]] std::vector<Tick> decade_ticks(double low, double high);

/// "19^h04^m30^s" and "-66 deg 15 arcmin" with signs, with as many fields as the step needs.
[[nodiscard]] std::string hours_text(double degrees, double step_degrees);
[[nodiscard]] std::string degrees_text(double degrees, double step_degrees, bool with_sign);

}  // namespace reber
