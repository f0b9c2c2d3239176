// SPDX-License-Identifier: BSD-3-Clause
// Statistics and flux of the pixels in a region.
#include "gui/model/regions/region_statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "core/base/error.hpp"
#include "core/sky/model/grid_geometry.hpp"
#include "core/sky/regions/region_spans.hpp"

namespace reber::gui {
namespace {

constexpr double kSrPerDeg2 = 3.04617419786708599e-4;  // (pi / 180)^2

double median_of(std::vector<float>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return 0.5 * (double{*middle} + *std::max_element(values.begin(), middle));
}

/// Of the pixels that are finite: their areas, and their values times them, square degrees.
struct AreaSums {
  double area = 0, value_area = 0;
};

/// Areas of pixels over a rectangle, bilinear between nodes; NaN where no node has a sky.
class PixelAreas {
 public:
  /// by_place: else that of the middle of the image everywhere
  PixelAreas(const Rect& rect, Shape image, const Wcs& wcs, bool by_place) : rect_(rect) {
    constexpr std::int64_t kIntervals = 64;
    const auto area_of = [](const std::optional<Matrix2>& local) {
      return local ? std::abs(local->determinant()) : std::nan("");
    };
    if (!by_place) {
      one_ = area_of(wcs.centre_geometry(image));
      return;
    }
    auto nodes = std::make_shared<BeamNodes>();
    const std::int64_t step = std::max<std::int64_t>(1, (std::max(rect.ny, rect.nx) - 1) / kIntervals + 1);
    nodes->step_px = static_cast<double>(step);
    nodes->shape = {(rect.ny + step - 2) / step + 1, (rect.nx + step - 2) / step + 1};
    for (std::int64_t j = 0; j < nodes->shape.ny; ++j)
      for (std::int64_t i = 0; i < nodes->shape.nx; ++i) {
        const double area = area_of(
            wcs.sky_per_pixel(static_cast<double>(rect.x0 + i * step), static_cast<double>(rect.y0 + j * step)));
        nodes->pixel_deg2.push_back(area);
        nodes->sky.push_back({area, 0, area});
      }
    nodes->pixels = nodes->sky;
    if (fill_unknown(*nodes)) by_place_ = BeamField(std::optional<Beam>(), nodes);
  }

  [[nodiscard]] double at(std::int64_t x, std::int64_t y) const {
    return by_place_.areas_vary()
               ? by_place_.pixel_deg2(static_cast<double>(x - rect_.x0), static_cast<double>(y - rect_.y0))
               : one_;
  }

 private:
  Rect rect_;
  double one_ = std::nan("");
  BeamField by_place_;
};

void find_flux(RegionStatistics& out, const AreaSums& sums, const Unit& unit, const std::optional<Beam>& beam,
               double frequency) {
  const double beam_deg2 = beam ? beam->area_deg2() : std::nan("");
  if (beam_deg2 > 0 && out.area_deg2 > 0) out.beams = out.area_deg2 / beam_deg2;
  const double sum = sums.value_area * unit.factor;
  switch (unit.kind) {
    case Unit::Kind::jy_per_pixel:
      out.flux_jy = out.pixels.sum * unit.factor;
      return;
    case Unit::Kind::unknown:
      out.no_flux = "the image's unit is not known";
      return;
    default:
      break;
  }
  if (!(sums.area > 0)) {
    out.no_flux = "the size of a pixel on the sky is not known";
    return;
  }
  if (unit.kind == Unit::Kind::kelvin && !(frequency > 0 && unit.spectral.empty())) {
    out.no_flux = "the image's frequency is not known";
    return;
  }
  if (unit.per_solid_angle()) {
    const double per_sr = unit.kind == Unit::Kind::kelvin ? sum / kelvin_per_jy_sr(frequency) : sum;
    out.flux_jy = per_sr * kSrPerDeg2;
    return;
  }
  if (!(beam_deg2 > 0)) {
    out.no_flux = "the image has no restoring beam";
    return;
  }
  out.flux_jy = sum / beam_deg2;
}

std::vector<RegionSpan> spans_of(const Region& region, Shape shape, const Progress& progress) {
  std::vector<RegionSpan> spans;
  for_each_span(
      region, shape, [&](const RegionSpan& span) { spans.push_back(span); }, progress);
  return spans;
}

void measure_ring(RegionStatistics& out, const Region& region, const Pyramid& pixels, const Progress& progress) {
  Region outline = region;
  outline.inner_x = outline.inner_y = 0;
  const auto spans = [&](const Region& each) { return spans_of(each, pixels.shape(), progress); };
  const std::vector<RegionSpan> far = spans(scaled(outline, kRingTo));
  const std::vector<RegionSpan> holes[] = {spans(scaled(outline, kRingFrom)), spans(outline)};
  std::size_t next[] = {0, 0};
  std::vector<float> row, ring;
  for (std::size_t i = 0; i < far.size();) {
    // All spans of one row, less the holes of that row.
    const std::int64_t y = far[i].y;
    row.assign(static_cast<std::size_t>(pixels.shape().nx), std::numeric_limits<float>::quiet_NaN());
    for (; i < far.size() && far[i].y == y; ++i)
      pixels.read(0, Reduction::mean, {y, far[i].x0, 1, far[i].x1 - far[i].x0}, row.data() + far[i].x0);
    for (int k = 0; k < 2; ++k)
      for (; next[k] < holes[k].size() && holes[k][next[k]].y <= y; ++next[k]) {
        const RegionSpan& hole = holes[k][next[k]];
        if (hole.y == y)
          std::fill(row.begin() + hole.x0, row.begin() + hole.x1, std::numeric_limits<float>::quiet_NaN());
      }
    std::ranges::copy_if(row, std::back_inserter(ring), [](float value) { return std::isfinite(value); });
  }
  out.ring_pixels = static_cast<std::int64_t>(ring.size());
  if (ring.empty()) return;
  out.ring_median = median_of(ring);
  for (float& v : ring) v = static_cast<float>(std::abs(v - out.ring_median));
  out.ring_sigma = 1.4826 * median_of(ring);
}

/// Noise that is the same within a beam and independent between beams: the sum over n pixels varies as sigma^2 n b, b
/// the beam in pixels; less than a beam as sigma^2 n^2.
void find_flux_error(RegionStatistics& out, const AreaSums& sums, const Unit& unit, const std::optional<Beam>& beam) {
  const bool per_pixel = unit.kind == Unit::Kind::jy_per_pixel;
  const double n = static_cast<double>(out.pixels.finite), weight = per_pixel ? n : sums.area;
  const double weighted = per_pixel ? out.pixels.sum : sums.value_area;
  if (!out.flux_jy || out.ring_pixels == 0 || !(std::abs(weighted) > 0)) return;
  const double jy_per_unit = *out.flux_jy / weighted * weight;  // of all the pixels together
  const double beam_px = beam && sums.area > 0 ? std::max(1.0, beam->area_deg2() * n / sums.area) : 1;
  out.flux_error_jy = out.ring_sigma * std::sqrt(n * std::min(n, beam_px)) * std::abs(jy_per_unit) / n;
  out.flux_above_jy = *out.flux_jy - out.ring_median * jy_per_unit;
}

/// Values inside are held in memory. What is said about a region of a large image that has too many; empty else.
std::string too_many(const Region& region, const Pyramid& pixels, const Progress& progress) {
  constexpr std::int64_t kMost = std::int64_t{1} << 26;
  if (!pixels.in_file() || bounds_of(region, pixels.shape()).ny * bounds_of(region, pixels.shape()).nx <= kMost)
    return {};
  std::int64_t count = 0;
  for_each_span(
      region, pixels.shape(), [&](const RegionSpan& span) { count += span.x1 - span.x0; }, progress);
  if (count <= kMost) return {};
  return fmt::format("{} million pixels: a region of an image that stays in its file is measured up to {} million",
                     count / 1000000, kMost / 1000000);
}

}  // namespace

RegionStatistics region_statistics(const Region& region, const Pyramid& pixels, const Unit& unit,
                                   const std::optional<Beam>& beam, const Wcs& wcs, const Progress& progress) {
  if (!region.has_area())
    throw InputError("a line or a point has no pixels inside: draw an ellipse, a box or a polygon");
  RegionStatistics out;
  const Rect rect = bounds_of(region, pixels.shape());
  std::vector<float> row, inside;
  // A beam that is constant in pixels is told by the geometry of the image's middle (core/sky/model/grid_geometry.hpp).
  const bool by_place = unit.per_solid_angle() || (wcs.projection() != "SIN" && wcs.projection() != "NCP");
  const PixelAreas areas(rect, pixels.shape(), wcs, by_place);
  AreaSums sums;
  if (const std::string refused = too_many(region, pixels, progress); !refused.empty()) {
    out.no_flux = refused;
    return out;
  }
  for_each_span(region, pixels.shape(), [&](const RegionSpan& span) {
    progress.report("statistics",
                    static_cast<double>(span.y - rect.y0) / static_cast<double>(std::max<std::int64_t>(rect.ny, 1)));
    row.resize(static_cast<std::size_t>(span.x1 - span.x0));
    pixels.read(0, Reduction::mean, {span.y, span.x0, 1, span.x1 - span.x0}, row.data());
    for (std::int64_t x = span.x0; x < span.x1; ++x) {
      const float value = row[static_cast<std::size_t>(x - span.x0)];
      out.pixels.add(value, x, span.y);
      if (!std::isfinite(value)) continue;
      inside.push_back(value);
      const double area = areas.at(x, span.y);
      sums.area += area, sums.value_area += static_cast<double>(value) * area;
    }
  });
  out.area_deg2 = sums.area;
  if (inside.empty()) {
    out.no_flux = "no finite pixel lies inside";
    return out;
  }
  double squares = 0;
  const double mean = out.pixels.mean();
  for (const float v : inside) squares += (v - mean) * (v - mean);
  out.std = std::sqrt(squares / static_cast<double>(inside.size()));
  out.median = median_of(inside);
  for (float& v : inside) v = static_cast<float>(std::abs(v - out.median));
  out.sigma = 1.4826 * median_of(inside);
  find_flux(out, sums, unit, beam, wcs.frequency_hz());
  measure_ring(out, region, pixels, progress);
  find_flux_error(out, sums, unit, beam);
  return out;
}

}  // namespace reber::gui
