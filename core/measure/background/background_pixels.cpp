// SPDX-License-Identifier: BSD-3-Clause
// Calls of a backend. Of the image's rim a few rows say where to look: strips at the four sides are walked until one of
// their pixels is finite.
#include "core/measure/background/background_pixels.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/thread_pool.hpp"

namespace reber {
namespace {

constexpr std::int64_t kPixels = std::int64_t{1} << 20;  // looked at together

/// The finite pixels of a row: [first, last), empty where there is none.
PixelSpan finite_of(const float* row, std::int64_t nx) {
  PixelSpan span{0, nx};
  while (span.begin < nx && !std::isfinite(row[span.begin])) ++span.begin;
  if (span.begin == nx) return {nx, 0};
  while (!std::isfinite(row[span.end - 1])) --span.end;
  return span;
}

PixelSpan joined(const PixelSpan& a, const PixelSpan& b) {
  return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

Rect window_about(const BrightSource& source, double reach_px, Shape image) {
  const auto r = static_cast<std::int64_t>(std::ceil(reach_px));
  const auto y = static_cast<std::int64_t>(source.y), x = static_cast<std::int64_t>(source.x);
  const std::int64_t y0 = std::max<std::int64_t>(y - r, 0), x0 = std::max<std::int64_t>(x - r, 0);
  return {y0, x0, std::min(y + r + 1, image.ny) - y0, std::min(x + r + 1, image.nx) - x0};
}

}  // namespace

std::vector<BrightSource> brighter_than(double limit, const std::vector<IslandSums>& islands) {
  std::vector<BrightSource> sources;
  for (const IslandSums& island : islands)
    if (const double snr = (static_cast<double>(island.peak) - island.peak_mean) / island.peak_rms; snr > limit)
      sources.push_back({static_cast<double>(island.peak_y), static_cast<double>(island.peak_x), snr, island.npix});
  return sources;
}

std::vector<BrightSource> brightest(std::vector<BrightSource> sources) {
  constexpr std::size_t kMost = 1000;
  std::ranges::stable_sort(sources, std::greater{}, &BrightSource::snr);
  if (sources.size() > kMost) sources.resize(kMost);
  return sources;
}

Rect BackgroundPixels::part() const {
  constexpr std::int64_t kProbes = 8;
  const auto [ny, nx] = plane.shape();
  const Rect whole{0, 0, ny, nx};
  if (ny < 1 || nx < 1) return whole;
  // The columns [x0, x0 + nx) of rows, a few at a time.   each(y, row): false to stop
  const auto walk = [&](const Rect& where, bool upward, const auto& each) {
    if (where.nx <= 0) return;
    const std::int64_t most = std::clamp<std::int64_t>(kPixels / where.nx, 1, std::max<std::int64_t>(where.ny, 1));
    std::vector<float> pixels(static_cast<std::size_t>(most * where.nx));
    for (std::int64_t done = 0; done < where.ny; done += most) {
      const std::int64_t rows = std::min(most, where.ny - done);
      const std::int64_t y0 = upward ? where.y0 + done : where.y0 + where.ny - done - rows;
      backend.render(MapKind::image, plane, nullptr, {y0, where.x0, rows, where.nx}, pixels.data(), job);
      for (std::int64_t k = 0; k < rows; ++k) {
        const std::int64_t row = upward ? k : rows - 1 - k;
        if (!each(y0 + row, finite_of(pixels.data() + row * where.nx, where.nx))) return;
      }
    }
  };
  std::vector<Rect> probes;
  for (std::int64_t k = 0; k <= kProbes; ++k) probes.push_back({k * (ny - 1) / kProbes, 0, 1, nx});
  std::vector<float> pixels(probes.size() * static_cast<std::size_t>(nx));
  backend.render_each(MapKind::image, plane, nullptr, probes, pixels.data(), job);
  PixelSpan cols{nx, 0}, rows{0, ny};
  bool ends = true;
  for (std::size_t k = 0; k < probes.size(); ++k) {
    const PixelSpan one = finite_of(pixels.data() + k * static_cast<std::size_t>(nx), nx);
    if (k == 0 || k + 1 == probes.size()) ends = ends && one.end > 0;
    cols = joined(cols, one);
  }
  if (!ends) {
    rows = {ny, 0};
    for (const bool upward : {true, false})
      if (upward || rows.end > 0)
        walk(whole, upward, [&](std::int64_t y, const PixelSpan& finite) {
          if (finite.end > 0) rows = joined(rows, {y, y + 1});
          return finite.end == 0;
        });
  }
  if (rows.end == 0) return whole;
  // Beyond what is known to be measured, on both sides.
  for (const auto& [x0, x1] :
       {PixelSpan{0, std::min(cols.begin, nx)}, PixelSpan{std::max<std::int64_t>(cols.end, 0), nx}})
    walk({rows.begin, x0, rows.size(), x1 - x0}, true, [&, x0 = x0](std::int64_t, const PixelSpan& finite) {
      if (finite.end > 0) cols = joined(cols, {x0 + finite.begin, x0 + finite.end});
      return true;
    });
  return {rows.begin, cols.begin, rows.size(), cols.size()};
}

std::vector<BrightSource> BackgroundPixels::sources(const BackgroundModel& model, double limit) const {
  const auto islands = backend.label(plane, model, masked_islands(limit), job);
  return brighter_than(limit, backend.measure(plane, model, *islands, job));
}

void BackgroundPixels::look_about(const BackgroundModel& model, std::span<const BrightSource> sources, double reach_px,
                                  const Look& look) const {
  constexpr std::size_t kFew = 4;
  ThreadPool pool(sources.size() > kFew ? 0 : 1);
  std::vector<float> snr;
  for (std::size_t first = 0, last = 0; first < sources.size(); first = last) {
    std::vector<Rect> where;
    std::vector<std::size_t> begin{0};
    for (; last < sources.size() && begin.back() < static_cast<std::size_t>(kPixels); ++last) {
      where.push_back(window_about(sources[last], reach_px, plane.shape()));
      begin.push_back(begin.back() + static_cast<std::size_t>(where.back().shape().count()));
    }
    snr.resize(std::max(snr.size(), begin.back()));
    backend.render_each(MapKind::snr, plane, &model, where, snr.data(), job);
    pool.for_each(std::ssize(where), [&](std::int64_t i) {
      const auto k = static_cast<std::size_t>(i);
      look(first + k, std::span(snr).subspan(begin[k], begin[k + 1] - begin[k]), where[k]);
    });
  }
}

}  // namespace reber
