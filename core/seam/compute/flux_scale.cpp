// SPDX-License-Identifier: BSD-3-Clause
// The flux of a sum of pixels, by the image's unit.
#include "core/seam/compute/flux_scale.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "core/sky/model/beam.hpp"

namespace reber {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kDegrees = 180 / std::numbers::pi;

/// Jy/sr of a brightness of 1 in the image's unit without its prefix; NaN where that is not known.
double jy_per_sr(const ImageHeader& header) {
  if (header.unit.kind == Unit::Kind::jy_per_sr) return 1;
  return header.unit.spectral.empty() ? 1 / kelvin_per_jy_sr(header.wcs.frequency_hz()) : kNan;
}

}  // namespace

double flux_per_sum(const ImageHeader& header, double beam_area_px, double pixel_deg2) {
  double per_sum = kNan;
  switch (header.unit.kind) {
    case Unit::Kind::jy_per_beam:
      per_sum = 1 / beam_area_px;
      break;
    case Unit::Kind::jy_per_pixel:
      per_sum = 1;
      break;
    case Unit::Kind::jy_per_sr:
    case Unit::Kind::kelvin:
      per_sum = pixel_deg2 / (kDegrees * kDegrees) * jy_per_sr(header);
      break;
    case Unit::Kind::unknown:
      break;
  }
  return per_sum * header.unit.factor;
}

double flux_per_sum(const ImageHeader& header, const std::optional<Beam>& beam) {
  const auto centre = header.centre_geometry();
  const double pixel_deg2 = centre ? std::abs(centre->determinant()) : kNan;
  return flux_per_sum(header, beam ? beam->area_deg2() / pixel_deg2 : kNan, pixel_deg2);
}

double flux_per_sum_at(const ImageHeader& header, const BeamField& beams, double nominal, double x, double y) {
  if (beams.varies() && header.unit.kind == Unit::Kind::jy_per_beam)
    return 1 / gaussian_area(beams.at(x, y).pixels) * header.unit.factor;
  const bool of_area = beams.areas_vary() && header.unit.per_solid_angle();
  return of_area ? flux_per_sum(header, kNan, beams.pixel_deg2(x, y)) : nominal;
}

std::string why_no_totals(const ImageHeader& header, const std::optional<Beam>& beam) {
  const Unit& unit = header.unit;
  if (unit.kind == Unit::Kind::unknown) return fmt::format("the image's unit, '{}', is not known", unit.text);
  if (unit.kind == Unit::Kind::jy_per_pixel) return {};
  if (unit.kind == Unit::Kind::jy_per_beam && !beam) return "the image has no beam";
  if (!header.centre_geometry()) return "the size of a pixel on the sky is not known";
  if (unit.kind == Unit::Kind::kelvin && !unit.spectral.empty())
    return fmt::format("'{}' is a temperature summed over a line, and does not tell at which frequency", unit.text);
  if (unit.kind == Unit::Kind::kelvin && !(header.wcs.frequency_hz() > 0))
    return fmt::format("a flux density of an image in '{}' needs its frequency, and the header has none", unit.text);
  return {};
}

}  // namespace reber
