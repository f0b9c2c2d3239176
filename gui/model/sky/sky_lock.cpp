// SPDX-License-Identifier: BSD-3-Clause
// From the pixels of one image to those of another through the sky.
#include "gui/model/sky/sky_lock.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "core/base/error.hpp"

namespace reber::gui {
namespace {

/// A place of the sky on both images.
struct Pair {
  PixelPosition from, to;
};

bool inside(PixelPosition at, Shape shape) {
  return at.x >= -0.5 && at.y >= -0.5 && at.x <= static_cast<double>(shape.nx) - 0.5 &&
         at.y <= static_cast<double>(shape.ny) - 0.5;
}

/// Places of a lattice over an image that the other one has as well.
void add_shared(const SkyLock& lock, Shape of, Shape other, bool turned, std::vector<Pair>& pairs) {
  constexpr int kSteps = 32;
  for (int j = 0; j <= kSteps; ++j)
    for (int i = 0; i <= kSteps; ++i) {
      const PixelPosition at{static_cast<double>(of.nx - 1) * i / kSteps, static_cast<double>(of.ny - 1) * j / kSteps};
      const auto there = lock(at);
      if (there && inside(*there, other)) pairs.push_back(turned ? Pair{*there, at} : Pair{at, *there});
    }
}

double apart(PixelPosition a, PixelPosition b) { return std::hypot(a.x - b.x, a.y - b.y); }

/// The middle one of some places, and those furthest out along both diagonals.
std::array<PixelPosition, 5> middle_and_ends(const std::vector<Pair>& pairs) {
  PixelPosition mean;
  for (const Pair& each : pairs) {
    mean.x += each.from.x / static_cast<double>(pairs.size());
    mean.y += each.from.y / static_cast<double>(pairs.size());
  }
  const auto least = [&](const auto& value) {
    return std::ranges::min_element(pairs, {}, [&](const Pair& each) { return value(each.from); })->from;
  };
  return {least([&](PixelPosition p) { return apart(p, mean); }), least([](PixelPosition p) { return p.x + p.y; }),
          least([](PixelPosition p) { return -p.x - p.y; }), least([](PixelPosition p) { return p.x - p.y; }),
          least([](PixelPosition p) { return p.y - p.x; })};
}

}  // namespace

SkyLock::SkyLock(const Wcs& from, const Wcs& to, Shape from_shape, Shape to_shape) {
  if (!from.celestial() || !to.celestial()) {
    why_not_ = "an image without sky coordinates cannot be laid over another: " +
               (from.celestial() ? to.why_not() : from.why_not());
    return;
  }
  try {
    map_.emplace(from, to, SkyShift{}, to_shape, from_shape);
  } catch (const InputError& error) {
    why_not_ = error.what();
  }
}

std::optional<PixelPosition> SkyLock::operator()(PixelPosition pixel) const {
  if (!map_) return std::nullopt;
  const PixelPosition place = (*map_)(pixel);
  if (!std::isfinite(place.x) || !std::isfinite(place.y)) return std::nullopt;
  return place;
}

PixelPosition AffineMap::operator()(PixelPosition pixel) const {
  const double dx = pixel.x - origin_from.x, dy = pixel.y - origin_from.y;
  return {origin_to.x + matrix.a * dx + matrix.b * dy, origin_to.y + matrix.c * dx + matrix.d * dy};
}

std::optional<AffineMap> SkyLock::affine(PixelPosition around, double step) const {
  const auto at = [&](double dx, double dy) { return (*this)({around.x + dx, around.y + dy}); };
  const auto centre = at(0, 0), right = at(step, 0), left = at(-step, 0), up = at(0, step), down = at(0, -step);
  if (!centre || !right || !left || !up || !down) return std::nullopt;
  AffineMap map{around, *centre, {}};
  map.matrix = {(right->x - left->x) / (2 * step), (up->x - down->x) / (2 * step), (right->y - left->y) / (2 * step),
                (up->y - down->y) / (2 * step)};
  if (!(std::abs(map.matrix.determinant()) > 0)) return std::nullopt;
  return map;
}

ViewTransform locked_view(const ViewTransform& view, const AffineMap& map) {
  const CanvasTransform canvas(view, {});
  const ScreenPoint ex = canvas.direction(1, 0), ey = canvas.direction(0, 1);
  const double d = map.matrix.determinant();
  const Matrix2 inverse{map.matrix.d / d, -map.matrix.b / d, -map.matrix.c / d, map.matrix.a / d};
  // Screen movement for a step along x and y of the other image.
  const ScreenPoint wanted_x{ex.x * inverse.a + ey.x * inverse.c, ex.y * inverse.a + ey.y * inverse.c};
  const ScreenPoint wanted_y{ex.x * inverse.b + ey.x * inverse.d, ex.y * inverse.b + ey.y * inverse.d};
  ViewTransform other;
  other.centre = map(view.centre);
  other.zoom = std::sqrt(std::abs(wanted_x.x * wanted_y.y - wanted_x.y * wanted_y.x));
  other.flip_x = view.flip_x;
  other.flip_y = view.flip_y;
  if (d < 0) other.flip_x = !other.flip_x;
  // The rotation R(angle), y up, that brings the flipped axes closest to those wanted (least squares).
  const double fx = other.flip_x ? -1 : 1, fy = other.flip_y ? -1 : 1;
  const double cosine = fx * wanted_x.x - fy * wanted_y.y, sine = -fx * wanted_x.y - fy * wanted_y.x;
  other.rotation_deg = std::atan2(sine, cosine) * 180 / std::numbers::pi;
  return other;
}

GridFit fit_of(const SkyLock& there, const SkyLock& back, Shape from, Shape to) {
  std::vector<Pair> pairs;
  add_shared(there, from, to, false, pairs);
  add_shared(back, to, from, true, pairs);
  GridFit fit;
  if (pairs.empty()) return fit;
  constexpr double kSame = 0.05;
  fit.same =
      from == to && std::ranges::all_of(pairs, [](const Pair& each) { return apart(each.from, each.to) < kSame; });
  if (fit.same) return fit;
  bool viewed = false;
  for (const PixelPosition& centre : middle_and_ends(pairs)) {
    const auto map = there.affine(centre);
    if (!map) continue;  // at the edge of the sky
    const ViewTransform view{centre};
    const CanvasTransform first(view, {}), second(locked_view(view, *map), {});
    const double scale = std::sqrt(std::abs(map->matrix.determinant()));
    fit.scale = viewed ? std::min(fit.scale, scale) : scale;
    viewed = true;
    for (const Pair& each : pairs) {
      const double off = apart(second.to_image(first.to_screen(each.from)), each.to) * std::max(1.0, 1 / scale);
      if (!(off <= fit.off_px)) fit.off_px = std::isnan(off) ? std::numeric_limits<double>::infinity() : off;
    }
  }
  if (!viewed) fit.off_px = std::numeric_limits<double>::infinity();
  return fit;
}

}  // namespace reber::gui
