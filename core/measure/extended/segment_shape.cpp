// SPDX-License-Identifier: BSD-3-Clause
// Shape numbers by plain sums over pixels.
#include "core/measure/extended/segment_shape.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/sky/mask/region_mask.hpp"

namespace reber {
namespace {

double area_of(const std::vector<PixelPosition>& points) {
  double twice = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const PixelPosition &a = points[i], &b = points[(i + 1) % points.size()];
    twice += a.x * b.y - b.x * a.y;
  }
  return std::abs(twice) / 2;
}

double distance(const PixelPosition& p, const PixelPosition& a, const PixelPosition& b) {
  const double dx = b.x - a.x, dy = b.y - a.y, length = std::hypot(dx, dy);
  if (length == 0) return std::hypot(p.x - a.x, p.y - a.y);
  return std::abs(dx * (p.y - a.y) - dy * (p.x - a.x)) / length;
}

/// Corners that stay, of an open line: the ends, and every corner farther than `tolerance` from the line without it.
std::vector<PixelPosition> thinned(const std::vector<PixelPosition>& line, double tolerance) {
  std::vector<bool> stays(line.size(), false);
  stays.front() = stays.back() = true;
  std::vector<std::pair<std::size_t, std::size_t>> parts{{0, line.size() - 1}};
  while (!parts.empty()) {
    const auto [first, last] = parts.back();
    parts.pop_back();
    double most = tolerance;
    std::size_t farthest = first;
    for (std::size_t i = first + 1; i < last; ++i)
      if (const double d = distance(line[i], line[first], line[last]); d > most) most = d, farthest = i;
    if (farthest == first) continue;
    stays[farthest] = true;
    parts.emplace_back(first, farthest);
    parts.emplace_back(farthest, last);
  }
  std::vector<PixelPosition> kept;
  for (std::size_t i = 0; i < line.size(); ++i)
    if (stays[i]) kept.push_back(line[i]);
  return kept;
}

}  // namespace

std::vector<PixelPosition> outline_of_mask(const Mask& mask, std::size_t most) {
  constexpr double kFirstTolerance = 0.5;
  std::vector<PixelPosition> longest;
  for (Region& region : outlines_of(mask))
    if (!region.excluded && (longest.empty() || area_of(region.points) > area_of(longest)))
      longest = std::move(region.points);
  if (longest.size() <= 4) return longest;
  // Closed at the corner farthest from the first, so that both ends of each half are corners of the shape.
  std::size_t far = 0;
  const auto from_first = [&](std::size_t i) {
    return std::hypot(longest[i].x - longest[0].x, longest[i].y - longest[0].y);
  };
  for (std::size_t i = 0; i < longest.size(); ++i)
    if (from_first(i) > from_first(far)) far = i;
  const auto split = longest.begin() + static_cast<std::ptrdiff_t>(far);
  const std::vector<PixelPosition> there(longest.begin(), split + 1);
  std::vector<PixelPosition> back(split, longest.end());
  back.push_back(longest.front());
  std::vector<PixelPosition> outline;
  for (double tolerance = kFirstTolerance; outline.empty() || outline.size() > most; tolerance *= 1.5) {
    outline = thinned(there, tolerance);
    const std::vector<PixelPosition> rest = thinned(back, tolerance);
    outline.insert(outline.end(), rest.begin() + 1, rest.end() - 1);
    if (outline.size() <= 4) break;
  }
  return outline;
}

double largest_extent(std::span<const PixelPosition> outline) {
  double most = 0;
  for (std::size_t i = 0; i < outline.size(); ++i)
    for (std::size_t k = i + 1; k < outline.size(); ++k)
      most = std::max(most, std::hypot(outline[i].x - outline[k].x, outline[i].y - outline[k].y));
  return most;
}

Covariance Moments::fwhm2() const {
  const double factor = 8 * std::numbers::ln2;
  return {factor * xx, factor * xy, factor * yy};
}

Moments moments_of(std::span<const float> values, const Mask& inside) {
  Moments m;
  double sx = 0, sy = 0, sxx = 0, sxy = 0, syy = 0;
  for (std::int64_t y = 0; y < inside.shape.ny; ++y)
    for (std::int64_t x = 0; x < inside.shape.nx; ++x) {
      const double value = values[static_cast<std::size_t>(y * inside.shape.nx + x)];
      if (inside.at(y, x) == 0 || !std::isfinite(value)) continue;
      const auto px = static_cast<double>(x), py = static_cast<double>(y);
      m.sum += value, sx += value * px, sy += value * py;
      sxx += value * px * px, sxy += value * px * py, syy += value * py * py;
    }
  m.x = sx / m.sum, m.y = sy / m.sum;
  m.xx = sxx / m.sum - m.x * m.x, m.xy = sxy / m.sum - m.x * m.y, m.yy = syy / m.sum - m.y * m.y;
  return m;
}

Rim rim_of(std::span<const float> values, const Mask& mask) {
  constexpr double kEdge = 2;  // of a filled ellipse, in standard deviations of its pixels
  constexpr double kInner = 0.4 * kEdge;
  constexpr std::size_t kSectors = 24;
  const std::vector<float> ones(values.size(), 1.0F);
  const Moments m = moments_of(ones, mask);
  Rim rim;
  if (!m.positive()) return rim;
  const double determinant = m.xx * m.yy - m.xy * m.xy;
  double inner = 0, outer = 0, outer_pixels = 0;
  std::array<bool, kSectors> seen{};
  for (std::int64_t y = 0; y < mask.shape.ny; ++y)
    for (std::int64_t x = 0; x < mask.shape.nx; ++x) {
      const double value = values[static_cast<std::size_t>(y * mask.shape.nx + x)];
      if (!std::isfinite(value)) continue;
      const double dx = static_cast<double>(x) - m.x, dy = static_cast<double>(y) - m.y;
      const double r2 = (m.yy * dx * dx - 2 * m.xy * dx * dy + m.xx * dy * dy) / determinant;
      if (r2 < kInner * kInner) {
        inner += value, rim.inner_pixels += 1;
      } else if (mask.at(y, x) != 0) {
        outer += value, outer_pixels += 1;
        const double turn = std::atan2(dy, dx) / (2 * std::numbers::pi) + 0.5;
        seen[std::min(kSectors - 1, static_cast<std::size_t>(turn * kSectors))] = true;
      }
    }
  if (rim.inner_pixels > 0) rim.inner = inner / rim.inner_pixels;
  if (outer_pixels > 0) rim.outer = outer / outer_pixels;
  rim.coverage = static_cast<double>(std::ranges::count(seen, true)) / kSectors;
  return rim;
}

}  // namespace reber
