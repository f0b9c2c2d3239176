// SPDX-License-Identifier: BSD-3-Clause
// Thickness of outlines from how much ink they take.
#include "core/show/picture/outline_marks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <utility>

namespace reber {
namespace {

constexpr double kThick = 1.7, kThinnest = 0.8;  ///< final pixels; the first at unit 1
constexpr double kDot = 6;                       ///< final pixels at unit 1 across which an outline is a ring
constexpr double kInk = 0.25;                    ///< part of the picture that lines with their rims may cover
constexpr double kRim = 2;                       ///< of a line with its rim, in lines

struct Path {
  std::vector<Point> points;
  double length = 0, across = 0;
};

Path ring(Point centre, double radius) {
  constexpr int kSides = 12;
  Path made;
  for (int k = 0; k <= kSides; ++k) {
    const double angle = 2 * std::numbers::pi * (k % kSides) / kSides;
    made.points.push_back({centre.x + radius * std::cos(angle), centre.y + radius * std::sin(angle)});
  }
  made.length = 2 * std::numbers::pi * radius;
  return made;
}

/// Empty where a corner is nowhere, or all of it is outside the picture.
Path path_of(const SkyLayout& layout, const std::vector<PixelPosition>& outline) {
  constexpr double kSamePlace = 0.5;
  Path made;
  Point least{INFINITY, INFINITY}, most{-INFINITY, -INFINITY};
  for (const PixelPosition& corner : outline) {
    const Point p = layout.point(corner.x, corner.y);
    if (!std::isfinite(p.x) || !std::isfinite(p.y)) return {};
    least = {std::min(least.x, p.x), std::min(least.y, p.y)};
    most = {std::max(most.x, p.x), std::max(most.y, p.y)};
    const double step =
        made.points.empty() ? INFINITY : std::hypot(p.x - made.points.back().x, p.y - made.points.back().y);
    if (step < kSamePlace) continue;
    if (!made.points.empty()) made.length += step;
    made.points.push_back(p);
  }
  if (made.points.empty() || most.x < layout.left || least.x > layout.left + layout.width || most.y < layout.top ||
      least.y > layout.top + layout.height)
    return {};
  const double across = std::max(most.x - least.x, most.y - least.y);
  if (across < kDot * layout.unit) {
    made = ring({0.5 * (least.x + most.x), 0.5 * (least.y + most.y)}, 0.5 * kDot * layout.unit);
  } else {
    made.length +=
        std::hypot(made.points.front().x - made.points.back().x, made.points.front().y - made.points.back().y);
    made.points.push_back(made.points.front());
  }
  made.across = across;
  return made;
}

}  // namespace

OutlineMarks mark_outlines(const SkyLayout& layout, const std::vector<std::vector<PixelPosition>>& outlines,
                           const Progress& progress) {
  std::vector<Path> paths;
  double length = 0;
  for (const std::vector<PixelPosition>& outline : outlines) {
    progress.check();
    Path path = path_of(layout, outline);
    if (path.points.empty()) continue;
    length += path.length;
    paths.push_back(std::move(path));
  }
  OutlineMarks marks;
  marks.outlines = static_cast<std::int64_t>(paths.size());
  const double ink = kInk * layout.width * layout.height;
  marks.thickness =
      std::clamp(ink / (kRim * std::max(length, 1.0)), kThinnest, std::max(kThinnest, kThick * layout.unit));
  std::ranges::stable_sort(paths, std::greater<>(), &Path::across);
  double used = 0;
  for (Path& path : paths) {
    used += kRim * marks.thickness * path.length;
    if (used > ink && !marks.paths.empty() && marks.thickness == kThinnest) break;
    marks.paths.push_back(std::move(path.points));
  }
  return marks;
}

std::string note_of(const OutlineMarks& marks) {
  const auto drawn = static_cast<std::int64_t>(marks.paths.size());
  if (drawn == marks.outlines) return {};
  return fmt::format("{} of {} extended sources outlined: the largest", drawn, marks.outlines);
}

}  // namespace reber
