// SPDX-License-Identifier: BSD-3-Clause
// Sums over a region as flux densities.
#include "gui/model/regions/region_flux.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/sky/model/grid_geometry.hpp"

namespace reber::gui {
namespace {

constexpr double kSrPerDeg2 = 3.04617419786708599e-4;  // (pi / 180)^2

double area_of(const std::optional<Matrix2>& local) { return local ? std::abs(local->determinant()) : std::nan(""); }

/// Part of n pixels by which the error of their mean is less than that of one.
double noise_part(const RegionSums& sums, const BrightnessScale& scale) {
  const auto n = static_cast<double>(sums.pixels);
  const double beam_px = scale.beam && sums.area > 0 ? std::max(1.0, scale.beam->area_deg2() * n / sums.area) : 1;
  return std::sqrt(n * std::min(n, beam_px)) / n;
}

}  // namespace

PixelAreas::PixelAreas(const Rect& rect, Shape image, const Wcs& wcs, const Unit& unit)
    : rect_(rect), one_(std::nan("")) {
  constexpr std::int64_t kIntervals = 64;
  if (!unit.per_solid_angle() && (wcs.projection() == "SIN" || wcs.projection() == "NCP")) {
    one_ = area_of(wcs.centre_geometry(image));
    return;
  }
  auto nodes = std::make_shared<BeamNodes>();
  const std::int64_t step = std::max<std::int64_t>(1, (std::max(rect.ny, rect.nx) - 1) / kIntervals + 1);
  nodes->step_px = static_cast<double>(step);
  nodes->shape = {(rect.ny + step - 2) / step + 1, (rect.nx + step - 2) / step + 1};
  for (std::int64_t j = 0; j < nodes->shape.ny; ++j)
    for (std::int64_t i = 0; i < nodes->shape.nx; ++i) {
      const double area =
          area_of(wcs.sky_per_pixel(static_cast<double>(rect.x0 + i * step), static_cast<double>(rect.y0 + j * step)));
      nodes->pixel_deg2.push_back(area);
      nodes->sky.push_back({area, 0, area});
    }
  nodes->pixels = nodes->sky;
  if (fill_unknown(*nodes)) by_place_ = BeamField(std::optional<Beam>(), nodes);
}

double PixelAreas::at(std::int64_t x, std::int64_t y) const {
  return by_place_.areas_vary()
             ? by_place_.pixel_deg2(static_cast<double>(x - rect_.x0), static_cast<double>(y - rect_.y0))
             : one_;
}

RegionFlux flux_of(const RegionSums& sums, const BrightnessScale& scale) {
  const Unit& unit = scale.unit;
  const double beam_deg2 = scale.beam ? scale.beam->area_deg2() : std::nan("");
  const double sum = sums.value_area * unit.factor, nothing = std::nan("");
  if (unit.kind == Unit::Kind::jy_per_pixel) return {sums.value * unit.factor, {}};
  if (unit.kind == Unit::Kind::unknown) return {nothing, "the image's unit is not known"};
  if (!(sums.area > 0)) return {nothing, "the size of a pixel on the sky is not known"};
  if (unit.kind == Unit::Kind::kelvin && !(scale.frequency_hz > 0 && unit.spectral.empty()))
    return {nothing, "the image's frequency is not known"};
  if (unit.per_solid_angle()) {
    const double per_sr = unit.kind == Unit::Kind::kelvin ? sum / kelvin_per_jy_sr(scale.frequency_hz) : sum;
    return {per_sr * kSrPerDeg2, {}};
  }
  if (!(beam_deg2 > 0)) return {nothing, "the image has no restoring beam"};
  return {sum / beam_deg2, {}};
}

double mean_to_jy(const RegionSums& sums, const BrightnessScale& scale) {
  return flux_of({sums.pixels, static_cast<double>(sums.pixels), sums.area, sums.area}, scale).jy;
}

double sum_error(const RegionSums& sums, const BrightnessScale& scale, double sigma) {
  return sigma * std::abs(mean_to_jy(sums, scale)) * noise_part(sums, scale);
}

double mean_error(const RegionSums& sums, const BrightnessScale& scale, double sigma) {
  return sigma * noise_part(sums, scale);
}

}  // namespace reber::gui
