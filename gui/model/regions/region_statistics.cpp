// SPDX-License-Identifier: BSD-3-Clause
// Statistics and flux of the pixels in a region.
#include "gui/model/regions/region_statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "core/base/error.hpp"
#include "core/sky/regions/region_spans.hpp"
#include "gui/model/regions/region_flux.hpp"

namespace reber::gui {
namespace {

double median_of(std::vector<float>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return 0.5 * (double{*middle} + *std::max_element(values.begin(), middle));
}

Histogram histogram_of(const std::vector<float>& inside, const RegionStatistics& found, const Progress& progress) {
  const auto [low, high] = histogram_range(found.pixels.min, found.pixels.max, found.median, found.sigma);
  const auto count = static_cast<std::int64_t>(inside.size());
  const int bins = static_cast<int>(std::clamp(std::sqrt(static_cast<double>(count)), 8.0, 512.0));
  ThreadPool here(1);
  return histogram(ConstImageView{inside.data(), {1, count}, count}, low, high, bins, here, progress);
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

void find_flux(RegionStatistics& out, const RegionSums& sums, const BrightnessScale& scale) {
  const double beam_deg2 = scale.beam ? scale.beam->area_deg2() : std::nan("");
  if (beam_deg2 > 0 && out.area_deg2 > 0) out.beams = out.area_deg2 / beam_deg2;
  const auto flux = flux_of(sums, scale);
  out.no_flux = flux.why_not;
  if (!out.no_flux.empty()) return;
  out.flux_jy = flux.jy;
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

std::pair<double, double> histogram_range(double least, double most, double median, double sigma) {
  if (!(sigma > 0)) return {least, most};
  return {std::max(least, median - 10 * sigma), std::min(most, median + 40 * sigma)};
}

RegionStatistics region_statistics(const Region& region, const Pyramid& pixels, const Unit& unit,
                                   const std::optional<Beam>& beam, const Wcs& wcs, const Progress& progress) {
  if (!region.has_area())
    throw InputError("a line or a point has no pixels inside: draw an ellipse, a box or a polygon");
  RegionStatistics out;
  const Rect rect = bounds_of(region, pixels.shape());
  std::vector<float> row, inside;
  if (const std::string refused = too_many(region, pixels, progress); !refused.empty()) {
    out.no_flux = refused;
    return out;
  }
  const PixelAreas areas(rect, pixels.shape(), wcs, unit);
  RegionSums sums;
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
      sums.add(value, areas.at(x, span.y));
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
  std::vector<float> deviations(inside.size());
  std::ranges::transform(inside, deviations.begin(),
                         [&](float v) { return static_cast<float>(std::abs(v - out.median)); });
  out.sigma = 1.4826 * median_of(deviations);
  out.histogram = histogram_of(inside, out, progress);
  const BrightnessScale scale{unit, beam, wcs.frequency_hz()};
  find_flux(out, sums, scale);
  measure_ring(out, region, pixels, progress);
  if (out.flux_jy && out.ring_pixels > 0) {
    const double per_unit = mean_to_jy(sums, scale);
    out.flux_error_jy = sum_error(sums, scale, out.ring_sigma);
    out.flux_above_jy = *out.flux_jy - out.ring_median * per_unit;
  }
  return out;
}

}  // namespace reber::gui
