// SPDX-License-Identifier: BSD-3-Clause
// Shapes row by row, each over the pixels that it can touch.
#include "core/show/picture/coverage.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>

namespace reber {
namespace {

/// Part of a pixel whose centre is `distance` from the middle of a line that is twice `half` thick.
double line_cover(double distance, double half) {
  return std::clamp(std::min(distance + 0.5, half) - std::max(distance - 0.5, -half), 0.0, 1.0);
}

/// Part of [at, at + 1] within [from, to].
double overlap(double at, double from, double to) {
  return std::clamp(std::min(at + 1, to) - std::max(at, from), 0.0, 1.0);
}

bool finite(Point p) { return std::isfinite(p.x) && std::isfinite(p.y); }

/// [first, last) of the pixels whose centres lie in [from, to], within [low, high).
std::pair<int, int> centres(double from, double to, int low, int high) {
  const double first = std::clamp(std::ceil(from - 0.5), double(low), double(high));
  const double last = std::clamp(std::floor(to - 0.5) + 1, first, double(high));
  return {static_cast<int>(first), static_cast<int>(last)};
}

/// The first x of [x, end) that is covered, or end: most of a row between two lines is not.
int next_covered(const std::uint8_t* covered, int x, int end) {
  for (std::uint64_t eight = 0; x + 8 <= end; x += 8) {
    std::memcpy(&eight, covered + x, sizeof(eight));
    if (eight != 0) break;
  }
  while (x < end && covered[x] == 0) ++x;
  return x;
}

}  // namespace

Coverage::Coverage(int width, int height)
    : width_(width),
      window_{0, 0, width, height},
      covered_(make_zeroed(static_cast<std::size_t>(width) * static_cast<std::size_t>(height))),
      touched_(static_cast<std::size_t>(height), {width, 0}),
      first_row_(height),
      last_row_(0) {}

void Coverage::put(int y, int x, double covered) {
  std::uint8_t& cell =
      covered_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x)];
  // NOLINTNEXTLINE(bugprone-incorrect-roundings): never negative, and lround() is a call.
  cell = std::max(cell, static_cast<std::uint8_t>(255 * covered + 0.5));
}

/// Pixels of a row with centres in [x0, x1] get cover(x).
template <class Cover>
void Coverage::row(int y, double x0, double x1, const Cover& cover) {
  const auto [from, to] = centres(x0, x1, window_.left, window_.right);
  if (from >= to) return;
  Extent& extent = touched_[static_cast<std::size_t>(y)];
  // Zeros once more where there are zeros: a fresh page that is read first costs two faults, and all threads a pause.
  if (extent.from >= extent.to)
    std::memset(covered_.get() + static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
                    static_cast<std::size_t>(from),
                0, static_cast<std::size_t>(to - from));
  extent = {std::min(extent.from, from), std::max(extent.to, to)};
  first_row_ = std::min(first_row_, y);
  last_row_ = std::max(last_row_, y + 1);
  for (int x = from; x < to; ++x) put(y, x, cover(x));
}

void Coverage::segment(Point a, Point b, double thickness) {
  if (!finite(a) || !finite(b)) return;
  const double half = 0.5 * thickness, reach = half + 0.5;
  const double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
  const double length = std::sqrt(square);
  const auto [first, last] =
      centres(std::min(a.y, b.y) - reach, std::max(a.y, b.y) + reach, window_.top, window_.bottom);
  const double left = std::min(a.x, b.x) - reach, right = std::max(a.x, b.x) + reach;
  for (int y = first; y < last; ++y) {
    const double above = y + 0.5 - a.y;
    double from = left, to = right;
    if (std::abs(dy) > 1e-9 * length) {
      const double middle = a.x + above * dx / dy, side = reach * length / std::abs(dy);
      from = std::max(from, middle - side);
      to = std::min(to, middle + side);
    }
    row(y, from, to, [&](int x) {
      const double beside = x + 0.5 - a.x;
      const double part = square > 0 ? std::clamp((beside * dx + above * dy) / square, 0.0, 1.0) : 0;
      const double off_x = beside - part * dx, off_y = above - part * dy;
      return line_cover(std::sqrt(off_x * off_x + off_y * off_y), half);
    });
  }
}

/// Pixels between an ellipse `inner` times and one `outer` times as large. cover(u, v) with the place from the centre.
template <class Cover>
void Coverage::ellipse(const DrawnEllipse& e, double outer, double inner, const Cover& cover) {
  // On a row v the ellipse of scale k spans  u = v xy / yy +- sqrt((k^2 - v^2 / yy) det / yy).
  const double slope = e.xy / e.yy, width = (e.xx * e.yy - e.xy * e.xy) / e.yy;
  const double high = outer * std::sqrt(e.yy);
  const auto [first, last] = centres(e.centre.y - high, e.centre.y + high, window_.top, window_.bottom);
  for (int y = first; y < last; ++y) {
    const double v = y + 0.5 - e.centre.y, part = v * v / e.yy;
    const double middle = e.centre.x + v * slope;
    const double out = std::sqrt(std::max(0.0, outer * outer - part) * width);
    const double in = inner * inner > part ? std::sqrt((inner * inner - part) * width) : -1;
    const auto here = [&](int x) { return cover(x + 0.5 - e.centre.x, v); };
    if (in < 1) {
      row(y, middle - out, middle + out, here);
    } else {
      row(y, middle - out, middle - in, here);
      row(y, middle + in, middle + out, here);
    }
  }
}

void Coverage::outline(const DrawnEllipse& e, double thickness) {
  const double half = 0.5 * thickness, reach = half + 0.5;
  const double determinant = e.xx * e.yy - e.xy * e.xy, trace = e.xx + e.yy;
  if (!finite(e.centre) || !std::isfinite(trace) || !(trace > 0)) return;
  const double larger = 0.5 * trace + std::sqrt(std::max(0.0, 0.25 * trace * trace - determinant));
  const double minor = std::sqrt(std::max(0.0, determinant / larger));
  if (!(minor > 0.25)) {  // too thin to have an inside: the line between its ends
    const double angle = 0.5 * std::atan2(2 * e.xy, e.xx - e.yy), major = std::sqrt(larger);
    const double dx = major * std::cos(angle), dy = major * std::sin(angle);
    return segment({e.centre.x - dx, e.centre.y - dy}, {e.centre.x + dx, e.centre.y + dy}, thickness);
  }
  const double a = e.yy / determinant, b = -e.xy / determinant, c = e.xx / determinant;
  // Scaled by 1 +- reach / minor, the ellipse holds all points nearer than `reach`, or none of them.
  ellipse(e, 1 + reach / minor, std::max(0.0, 1 - reach / minor), [&](double u, double v) {
    const double gu = a * u + b * v, gv = b * u + c * v;
    const double q = u * gu + v * gv, steep = gu * gu + gv * gv;
    if (!(steep > 0)) return line_cover(minor, half);
    return line_cover(std::abs(q - std::sqrt(q)) / std::sqrt(steep), half);
  });
}

void Coverage::fill(const DrawnEllipse& e) {
  const double determinant = e.xx * e.yy - e.xy * e.xy;
  if (!finite(e.centre) || !std::isfinite(e.xx + e.yy) || !(determinant > 0)) return;
  const double a = e.yy / determinant, b = -e.xy / determinant, c = e.xx / determinant;
  const double minor = std::sqrt(determinant / (e.xx + e.yy));  // at most the minor axis
  ellipse(e, 1 + 0.5 / minor, 0, [&](double u, double v) {
    const double gu = a * u + b * v, gv = b * u + c * v;
    const double q = u * gu + v * gv, steep = gu * gu + gv * gv;
    return steep > 0 ? std::clamp(0.5 - (q - std::sqrt(q)) / std::sqrt(steep), 0.0, 1.0) : 1.0;
  });
}

void Coverage::fill_rectangle(Point corner, double width, double height) {
  if (!finite(corner) || !std::isfinite(width) || !std::isfinite(height)) return;
  const double right = corner.x + width, bottom = corner.y + height;
  const auto [first, last] = centres(corner.y - 0.5, bottom + 0.5, window_.top, window_.bottom);
  for (int y = first; y < last; ++y) {
    const double high = overlap(y, corner.y, bottom);
    row(y, corner.x - 0.5, right + 0.5, [&](int x) { return high * overlap(x, corner.x, right); });
  }
}

std::int64_t Coverage::blend_row(int y, Rgb* row, Ink ink) {
  Extent& extent = touched_[static_cast<std::size_t>(y)];
  if (extent.from >= extent.to) return 0;
  const int alpha = static_cast<int>(std::lround(std::clamp(ink.alpha, 0.0, 1.0) * 257));  // 255 * 257 = 65535
  std::uint8_t* const covered = covered_.get() + static_cast<std::size_t>(y) * static_cast<std::size_t>(width_);
  for (int x = next_covered(covered, extent.from, extent.to); x < extent.to;
       x = next_covered(covered, x + 1, extent.to)) {
    const int weight = covered[x] * alpha;
    const auto mixed = [&](int over, int under) {
      return static_cast<std::uint8_t>(under + (((over - under) * weight + 32768) >> 16));
    };
    row[x] = {mixed(ink.red, row[x].red), mixed(ink.green, row[x].green), mixed(ink.blue, row[x].blue)};
  }
  const int seen = extent.to - extent.from;
  std::memset(covered + extent.from, 0, static_cast<std::size_t>(seen));
  extent = {width_, 0};
  return seen;
}

std::int64_t Coverage::blend(RgbView pixels, Ink ink, ThreadPool* pool) {
  constexpr int kRows = 64;  // of a thread's turn
  std::atomic<std::int64_t> seen{0};
  const auto blend_rows = [&](int first, int last) {
    std::int64_t its = 0;
    for (int y = first; y < last; ++y) its += blend_row(y, pixels.row(y), ink);
    seen += its;
  };
  if (pool == nullptr || last_row_ - first_row_ <= kRows) {
    blend_rows(first_row_, last_row_);
  } else {
    pool->for_each((last_row_ - first_row_ + kRows - 1) / kRows, [&](std::int64_t i) {
      const int first = first_row_ + static_cast<int>(i) * kRows;
      blend_rows(first, std::min(first + kRows, last_row_));
    });
  }
  first_row_ = static_cast<int>(touched_.size());
  last_row_ = 0;
  return seen;
}

}  // namespace reber
