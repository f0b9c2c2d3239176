// SPDX-License-Identifier: BSD-3-Clause
// Jy/beam, Jy/pixel, Jy/sr and kelvin, each by way of Jy/sr.
#include "core/sky/model/brightness.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace reber {
namespace {

constexpr double kSrPerDeg2 = (std::numbers::pi / 180) * (std::numbers::pi / 180);

/// Jy/sr of a brightness of 1 in the unit without its prefix.
BrightnessFactor jy_per_sr(const Unit& unit, const BrightnessBasis& basis) {
  const double beam_deg2 = basis.beam ? basis.beam->area_deg2() : 0;
  switch (unit.kind) {
    case Unit::Kind::jy_per_sr:
      return {1.0, {}};
    case Unit::Kind::jy_per_beam:
      if (!(beam_deg2 > 0)) return {{}, "the image has no beam"};
      return {1 / (beam_deg2 * kSrPerDeg2), {}};
    case Unit::Kind::jy_per_pixel:
      if (!(basis.pixel_deg2 > 0))
        return {{}, "the size of a pixel on the sky is not known, or is not the same over the image"};
      return {1 / (basis.pixel_deg2 * kSrPerDeg2), {}};
    case Unit::Kind::kelvin:
      if (!(basis.frequency_hz > 0)) return {{}, "the header has no frequency"};
      return {1 / kelvin_per_jy_sr(basis.frequency_hz), {}};
    case Unit::Kind::unknown:
      break;
  }
  return {{}, fmt::format("'{}' is no unit of brightness that is known", unit.text)};
}

double area_of(const std::optional<Matrix2>& local) { return local ? std::abs(local->determinant()) : std::nan(""); }

/// Over corners, edges and the middle.
bool areas_alike(const ImageHeader& header, double middle) {
  constexpr double kMost = 1e-3;
  for (const double fy : {0.0, 0.5, 1.0})
    for (const double fx : {0.0, 0.5, 1.0}) {
      const double area = area_of(header.wcs.sky_per_pixel(fx * static_cast<double>(header.shape.nx - 1),
                                                           fy * static_cast<double>(header.shape.ny - 1)));
      if (!(std::abs(area / middle - 1) <= kMost)) return false;
    }
  return true;
}

}  // namespace

BrightnessFactor brightness_factor(const Unit& from, const Unit& to, const BrightnessBasis& basis) {
  for (const Unit* unit : {&from, &to})
    if (unit->kind == Unit::Kind::unknown) return jy_per_sr(*unit, basis);
  if (from.spectral != to.spectral) return {{}, "the two are not summed over the same"};
  if (from.kind == to.kind) return {from.factor / to.factor, {}};
  if (from.kind == Unit::Kind::kelvin && !from.spectral.empty())
    return {{}, "a temperature summed over a line does not tell at which frequency"};
  BrightnessFactor up = jy_per_sr(from, basis), down = jy_per_sr(to, basis);
  if (!up.times) return up;
  if (!down.times) return down;
  const double times = from.factor * *up.times / *down.times / to.factor;
  if (!(std::isfinite(times) && times > 0)) return {{}, "beam, pixel or frequency of the header are out of all bounds"};
  return {times, {}};
}

BrightnessBasis brightness_basis(const ImageHeader& header, const std::optional<Beam>& beam) {
  BrightnessBasis basis{beam, header.wcs.frequency_hz(), area_of(header.centre_geometry())};
  const bool by_beam = header.unit.kind == Unit::Kind::jy_per_beam &&
                       (header.wcs.projection() == "SIN" || header.wcs.projection() == "NCP");
  if (!by_beam && !areas_alike(header, basis.pixel_deg2)) basis.pixel_deg2 = std::nan("");
  return basis;
}

}  // namespace reber
