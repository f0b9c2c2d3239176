// SPDX-License-Identifier: BSD-3-Clause
// From the pixels of one image to those of another through the sky.
#include "gui/model/sky/sky_lock.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace reber::gui {
namespace {

/// Bilinear; NaN where one of the pixels with weight is outside or blank.
float value_at(ConstImageView image, PixelPosition at) {
  const double fx = std::floor(at.x), fy = std::floor(at.y);
  const double limit_x = static_cast<double>(image.shape.nx), limit_y = static_cast<double>(image.shape.ny);
  if (!(fx >= -1 && fy >= -1 && fx < limit_x && fy < limit_y)) return NAN;
  const auto x = static_cast<std::int64_t>(fx), y = static_cast<std::int64_t>(fy);
  const double wx = at.x - fx, wy = at.y - fy;
  double sum = 0;
  for (int j = 0; j < 2; ++j) {
    for (int i = 0; i < 2; ++i) {
      const double weight = (i == 1 ? wx : 1 - wx) * (j == 1 ? wy : 1 - wy);
      if (weight < 1e-9) continue;
      if (x + i < 0 || y + j < 0 || x + i >= image.shape.nx || y + j >= image.shape.ny) return NAN;
      sum += weight * image.row(y + j)[x + i];
    }
  }
  return static_cast<float>(sum);
}

}  // namespace

SkyLock::SkyLock(const Wcs& from, const Wcs& to) : from_(from), to_(to) {
  if (!from.celestial() || !to.celestial()) {
    why_not_ = "an image without sky coordinates cannot be laid over another: " +
               (from.celestial() ? to.why_not() : from.why_not());
    return;
  }
  const auto a = system_of(from), b = system_of(to);
  if (a && b) {
    converter_ = SkyConverter(*a, *b);
  } else if (from.frame_name() != to.frame_name()) {
    why_not_ = from.frame_name() + " cannot be turned into " + to.frame_name();
  }
}

std::optional<PixelPosition> SkyLock::operator()(PixelPosition pixel) const {
  if (!why_not_.empty()) return std::nullopt;
  const auto sky = from_.to_sky(pixel.x, pixel.y);
  return sky ? to_.to_pixel(converter_(*sky)) : std::nullopt;
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

void resample_rows(const SkyLock& lock, ConstImageView other, std::int64_t y0, ImageView rows, std::int64_t step) {
  const std::int64_t nodes = (rows.shape.nx - 1) / step + 2;
  std::vector<std::optional<PixelPosition>> low, high;
  const auto project = [&](std::int64_t y) {
    std::vector<std::optional<PixelPosition>> line;
    for (std::int64_t i = 0; i < nodes; ++i)
      line.push_back(lock({static_cast<double>(i * step), static_cast<double>(y)}));
    return line;
  };
  for (std::int64_t y = 0; y < rows.shape.ny; ++y) {
    if (y % step == 0) {
      low = high.empty() ? project(y0 + y) : std::move(high);
      high = project(y0 + y + step);
    }
    const double v = static_cast<double>(y % step) / static_cast<double>(step);
    float* out = rows.row(y);
    for (std::int64_t x = 0; x < rows.shape.nx; ++x) {
      const auto i = static_cast<std::size_t>(x / step);
      const double u = static_cast<double>(x % step) / static_cast<double>(step);
      if (!low[i] || !low[i + 1] || !high[i] || !high[i + 1]) {
        out[x] = NAN;
        continue;
      }
      const auto mixed = [&](double PixelPosition::*axis) {
        return (1 - v) * ((1 - u) * (*low[i]).*axis + u * (*low[i + 1]).*axis) +
               v * ((1 - u) * (*high[i]).*axis + u * (*high[i + 1]).*axis);
      };
      out[x] = value_at(other, {mixed(&PixelPosition::x), mixed(&PixelPosition::y)});
    }
  }
}

}  // namespace reber::gui
