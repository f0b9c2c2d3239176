// SPDX-License-Identifier: BSD-3-Clause
// Geometry of regions.
#include "core/sky/regions/regions.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"

namespace reber {
namespace {

constexpr double kPi = 3.14159265358979323846;

struct Frame {
  double c, s;
  PixelPosition centre;

  explicit Frame(const Region& r)
      : c(std::cos(r.angle_deg * kPi / 180)), s(std::sin(r.angle_deg * kPi / 180)), centre(r.centre) {}
  /// Image position of one given along the region's own axes.
  [[nodiscard]] PixelPosition out(double u, double v) const {
    return {centre.x + c * u - s * v, centre.y + s * u + c * v};
  }
  [[nodiscard]] PixelPosition in(PixelPosition p) const {
    const double dx = p.x - centre.x, dy = p.y - centre.y;
    return {c * dx + s * dy, -s * dx + c * dy};
  }
};

/// Whether a direction from the first axis is in the region's sector.
bool in_sector(const Region& region, double angle_deg) {
  if (!region.is_sector()) return true;
  const double past = angle_deg - region.from_deg;
  return past - 360 * std::floor(past / 360) <= region.to_deg - region.from_deg;
}

/// Closed outline of a sector of an ellipse or a box: along its outer side and back along its hole.
std::vector<PixelPosition> outline_of_sector(const Region& region, int arc_points) {
  const Frame frame(region);
  std::vector<PixelPosition> out;
  const auto add = [&](double angle_deg, double half_x, double half_y) {
    const double u = std::cos(angle_deg * kPi / 180), v = std::sin(angle_deg * kPi / 180);
    const double reach = region.kind == Region::Kind::box ? 1 / std::max(std::abs(u) / half_x, std::abs(v) / half_y)
                                                          : 1 / std::hypot(u / half_x, v / half_y);
    out.push_back(frame.out(reach * u, reach * v));
  };
  const double step = (region.to_deg - region.from_deg) / arc_points;
  for (int i = 0; i <= arc_points; ++i) add(region.from_deg + i * step, region.half_x, region.half_y);
  if (!hole_of(region)) out.push_back(region.centre);
  for (int i = arc_points; i >= 0 && hole_of(region); --i)
    add(region.from_deg + i * step, region.inner_x, region.inner_y);
  return out;
}

bool inside_polygon(const std::vector<PixelPosition>& points, PixelPosition p) {
  bool inside = false;
  for (std::size_t i = 0, j = points.size() - 1; i < points.size(); j = i++) {
    const PixelPosition &a = points[i], &b = points[j];
    if ((a.y > p.y) == (b.y > p.y)) continue;
    if (p.x < a.x + (p.y - a.y) * (b.x - a.x) / (b.y - a.y)) inside = !inside;
  }
  return inside;
}

double distance_to_segment(PixelPosition a, PixelPosition b, PixelPosition p) {
  const double dx = b.x - a.x, dy = b.y - a.y, length = dx * dx + dy * dy;
  const double t = length > 0 ? std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / length, 0.0, 1.0) : 0;
  return std::hypot(a.x + t * dx - p.x, a.y + t * dy - p.y);
}

}  // namespace

const char* name_of(Region::Kind kind) {
  switch (kind) {
    case Region::Kind::ellipse:
      return "Ellipse";
    case Region::Kind::box:
      return "Box";
    case Region::Kind::polygon:
      return "Polygon";
    case Region::Kind::line:
      return "Line";
    case Region::Kind::point:
      return "Point";
  }
  return "";
}

bool contains(const Region& region, PixelPosition p) {
  if (!std::isfinite(p.x) || !std::isfinite(p.y)) return false;
  if (region.kind == Region::Kind::polygon) return region.points.size() >= 3 && inside_polygon(region.points, p);
  if (!region.has_area() || !(region.half_x > 0) || !(region.half_y > 0)) return false;
  const PixelPosition q = Frame(region).in(p);
  const auto within = [&](double half_x, double half_y) {
    const double u = q.x / half_x, v = q.y / half_y;
    return region.kind == Region::Kind::ellipse ? u * u + v * v <= 1 : std::abs(u) <= 1 && std::abs(v) <= 1;
  };
  return in_sector(region, std::atan2(q.y, q.x) * 180 / kPi) && within(region.half_x, region.half_y) &&
         !(hole_of(region) && within(region.inner_x, region.inner_y));
}

std::optional<Region> hole_of(const Region& region) {
  if (!(region.inner_x > 0) || !(region.inner_y > 0)) return std::nullopt;
  Region hole = region;
  hole.half_x = region.inner_x;
  hole.half_y = region.inner_y;
  hole.inner_x = hole.inner_y = 0;
  hole.from_deg = hole.to_deg = 0;
  return hole;
}

PixelPosition centre_of(const Region& region) {
  if (region.points.empty()) return region.centre;
  PixelPosition sum;
  for (const PixelPosition& p : region.points) {
    sum.x += p.x;
    sum.y += p.y;
  }
  const auto n = static_cast<double>(region.points.size());
  return {sum.x / n, sum.y / n};
}

std::vector<PixelPosition> outline_of(const Region& region, int ellipse_points) {
  if (region.kind == Region::Kind::polygon || region.kind == Region::Kind::line) return region.points;
  if (region.kind == Region::Kind::point) return {region.centre};
  if (region.is_sector()) return outline_of_sector(region, ellipse_points);
  const Frame frame(region);
  std::vector<PixelPosition> out;
  if (region.kind == Region::Kind::box) {
    for (const auto& [u, v] : {std::pair(-1, -1), {1, -1}, {1, 1}, {-1, 1}}) {
      out.push_back(frame.out(u * region.half_x, v * region.half_y));
    }
    return out;
  }
  for (int i = 0; i < ellipse_points; ++i) {
    const double t = 2 * kPi * i / ellipse_points;
    out.push_back(frame.out(region.half_x * std::cos(t), region.half_y * std::sin(t)));
  }
  return out;
}

Rect bounds_of(const Region& region, Shape image) {
  double x0 = 1e300, x1 = -1e300, y0 = 1e300, y1 = -1e300;
  const auto take = [&](double left, double right, double low, double high) {
    x0 = std::min(x0, left);
    x1 = std::max(x1, right);
    y0 = std::min(y0, low);
    y1 = std::max(y1, high);
  };
  if (region.kind == Region::Kind::ellipse) {
    const Frame f(region);
    const double wide = std::hypot(region.half_x * f.c, region.half_y * f.s),
                 high = std::hypot(region.half_x * f.s, region.half_y * f.c);
    take(region.centre.x - wide, region.centre.x + wide, region.centre.y - high, region.centre.y + high);
  } else {
    for (const PixelPosition& p : outline_of(region)) take(p.x, p.x, p.y, p.y);
  }
  const auto clip = [](double v, std::int64_t most) {
    return static_cast<std::int64_t>(std::clamp(v, 0.0, static_cast<double>(most)));
  };
  const std::int64_t left = clip(std::ceil(x0), image.nx), right = clip(std::floor(x1) + 1, image.nx),
                     low = clip(std::ceil(y0), image.ny), high = clip(std::floor(y1) + 1, image.ny);
  if (!(x1 >= x0) || right <= left || high <= low) return {};
  return {low, left, high - low, right - left};
}

double distance_to_outline(const Region& region, PixelPosition p) {
  const auto outline = outline_of(region);
  if (outline.size() == 1) return std::hypot(outline[0].x - p.x, outline[0].y - p.y);
  double least = 1e300;
  const std::size_t count = outline.size() - (region.kind == Region::Kind::line ? 1 : 0);
  for (std::size_t i = 0; i < count; ++i) {
    least = std::min(least, distance_to_segment(outline[i], outline[(i + 1) % outline.size()], p));
  }
  return least;
}

std::vector<PixelPosition> handles_of(const Region& region, double turn_reach) {
  if (region.kind == Region::Kind::polygon || region.kind == Region::Kind::line) return region.points;
  if (region.kind == Region::Kind::point) return {};
  const Frame f(region);
  const double x = region.half_x, y = region.half_y;
  return {f.out(-x, -y), f.out(x, -y), f.out(x, y), f.out(-x, y), f.out(x + turn_reach, 0)};
}

Region pull_handle(const Region& region, std::size_t handle, PixelPosition to, bool symmetric) {
  Region out = region;
  if (region.kind == Region::Kind::polygon || region.kind == Region::Kind::line) {
    if (handle < out.points.size()) out.points[handle] = to;
    return out;
  }
  if (handle == 4) {
    out.angle_deg = std::atan2(to.y - region.centre.y, to.x - region.centre.x) * 180 / kPi;
    return out;
  }
  if (handle > 4) return out;
  const Frame f(region);
  PixelPosition corner = f.in(to);
  constexpr double kLeast = 0.25;
  // The hole of an annulus stays as large a part of it.
  const auto resize = [&](double half_x, double half_y) {
    out.inner_x *= half_x / region.half_x;
    out.inner_y *= half_y / region.half_y;
    out.half_x = half_x;
    out.half_y = half_y;
  };
  if (symmetric) {
    resize(std::max(kLeast, std::abs(corner.x)), std::max(kLeast, std::abs(corner.y)));
    return out;
  }
  // The opposite corner stays.
  const double u = handle == 1 || handle == 2 ? 1 : -1, v = handle == 2 || handle == 3 ? 1 : -1;
  const double fixed_x = -u * region.half_x, fixed_y = -v * region.half_y;
  corner.x = u > 0 ? std::max(corner.x, fixed_x + 2 * kLeast) : std::min(corner.x, fixed_x - 2 * kLeast);
  corner.y = v > 0 ? std::max(corner.y, fixed_y + 2 * kLeast) : std::min(corner.y, fixed_y - 2 * kLeast);
  resize(0.5 * std::abs(corner.x - fixed_x), 0.5 * std::abs(corner.y - fixed_y));
  out.centre = f.out(0.5 * (corner.x + fixed_x), 0.5 * (corner.y + fixed_y));
  return out;
}

Region scaled(const Region& region, double factor) {
  Region larger = region;
  const PixelPosition middle = centre_of(region);
  larger.half_x *= factor;
  larger.half_y *= factor;
  larger.inner_x *= factor;
  larger.inner_y *= factor;
  for (PixelPosition& p : larger.points)
    p = {middle.x + factor * (p.x - middle.x), middle.y + factor * (p.y - middle.y)};
  return larger;
}

Region moved(const Region& region, double dx, double dy) {
  Region out = region;
  out.centre.x += dx;
  out.centre.y += dy;
  for (PixelPosition& p : out.points) {
    p.x += dx;
    p.y += dy;
  }
  return out;
}

Region region_between(Region::Kind kind, PixelPosition a, PixelPosition b) {
  Region out;
  out.kind = kind;
  out.centre = {0.5 * (a.x + b.x), 0.5 * (a.y + b.y)};
  out.half_x = 0.5 * std::abs(b.x - a.x);
  out.half_y = 0.5 * std::abs(b.y - a.y);
  return out;
}

}  // namespace reber
