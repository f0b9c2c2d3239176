// SPDX-License-Identifier: BSD-3-Clause
// A few rows say where to look: strips at the four sides are walked until one of their pixels is finite.
#include "core/measure/background/measured_part.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

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

/// The columns [x0, x0 + nx) of rows, a few at a time.   each(y, row): false to stop
template <class Each>
void walk(Backend& backend, const Plane& plane, const Rect& where, bool upward, const Job& job, const Each& each) {
  if (where.nx <= 0) return;
  const std::int64_t most = std::clamp<std::int64_t>(kPixels / where.nx, 1, std::max<std::int64_t>(where.ny, 1));
  std::vector<float> pixels(static_cast<std::size_t>(most * where.nx));
  for (std::int64_t done = 0; done < where.ny; done += most) {
    const std::int64_t rows = std::min(most, where.ny - done);
    const std::int64_t y0 = upward ? where.y0 + done : where.y0 + where.ny - done - rows;
    backend.render(MapKind::image, plane, nullptr, {y0, where.x0, rows, where.nx}, pixels.data(), job);
    for (std::int64_t k = 0; k < rows; ++k) {
      const std::int64_t row = upward ? k : rows - 1 - k;
      if (!each(y0 + row, pixels.data() + row * where.nx)) return;
    }
  }
}

/// Rows between the first and the last with a finite pixel.
PixelSpan finite_rows(Backend& backend, const Plane& plane, const Job& job) {
  const auto [ny, nx] = plane.shape();
  PixelSpan rows{ny, 0};
  const auto look = [&, nx = nx](bool upward) {
    walk(backend, plane, {0, 0, plane.shape().ny, nx}, upward, job, [&](std::int64_t y, const float* row) {
      const bool blank = finite_of(row, nx).end == 0;
      if (!blank) rows = joined(rows, {y, y + 1});
      return blank;
    });
  };
  look(true);
  if (rows.end > 0) look(false);
  return rows;
}

}  // namespace

Rect measured_part(Backend& backend, const Plane& plane, const Job& job) {
  constexpr std::int64_t kProbes = 8;
  const auto [ny, nx] = plane.shape();
  const Rect whole{0, 0, ny, nx};
  if (ny < 1 || nx < 1) return whole;
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
  if (!ends) rows = finite_rows(backend, plane, job);
  if (rows.end == 0) return whole;
  // Beyond what is known to be measured, on both sides.
  const auto widen = [&](const Rect& strip) {
    walk(backend, plane, strip, true, job, [&](std::int64_t, const float* row) {
      const PixelSpan one = finite_of(row, strip.nx);
      if (one.end > 0) cols = joined(cols, {strip.x0 + one.begin, strip.x0 + one.end});
      return true;
    });
  };
  widen({rows.begin, 0, rows.size(), std::min(cols.begin, nx)});
  widen({rows.begin, std::max(cols.end, std::int64_t{0}), rows.size(), nx - cols.end});
  return {rows.begin, cols.begin, rows.size(), cols.size()};
}

}  // namespace reber
