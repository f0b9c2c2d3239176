// SPDX-License-Identifier: BSD-3-Clause
// Where the pixels of an image lie on the screen.
#include "gui/model/sky/view_transform.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace reber::gui {

bool ViewTransform::operator==(const ViewTransform& other) const {
  return centre.x == other.centre.x && centre.y == other.centre.y && zoom == other.zoom && flip_x == other.flip_x &&
         flip_y == other.flip_y && rotation_deg == other.rotation_deg;
}

CanvasTransform::CanvasTransform(const ViewTransform& view, ScreenRect canvas) : view_(view), canvas_(canvas) {
  const double angle = view.rotation_deg * std::numbers::pi / 180;
  const double c = std::cos(angle), s = std::sin(angle);
  const double fx = view.flip_x ? -1 : 1, fy = view.flip_y ? -1 : 1;
  // Turned with y up, then y down for the screen.
  forward_ = {view.zoom * c * fx, -view.zoom * s * fy, -view.zoom * s * fx, -view.zoom * c * fy};
  const double d = forward_.determinant();
  inverse_ = {forward_.d / d, -forward_.b / d, -forward_.c / d, forward_.a / d};
}

ScreenPoint CanvasTransform::direction(double dx, double dy) const {
  return {forward_.a * dx + forward_.b * dy, forward_.c * dx + forward_.d * dy};
}

ScreenPoint CanvasTransform::to_screen(PixelPosition image) const {
  const ScreenPoint d = direction(image.x - view_.centre.x, image.y - view_.centre.y);
  return {canvas_.x + 0.5 * canvas_.width + d.x, canvas_.y + 0.5 * canvas_.height + d.y};
}

PixelPosition CanvasTransform::to_image(ScreenPoint screen) const {
  const double dx = screen.x - canvas_.x - 0.5 * canvas_.width, dy = screen.y - canvas_.y - 0.5 * canvas_.height;
  return {view_.centre.x + inverse_.a * dx + inverse_.b * dy, view_.centre.y + inverse_.c * dx + inverse_.d * dy};
}

Rect CanvasTransform::visible(Shape image) const {
  double x0 = 1e30, y0 = 1e30, x1 = -1e30, y1 = -1e30;
  for (const double fx : {0.0, 1.0}) {
    for (const double fy : {0.0, 1.0}) {
      const PixelPosition p = to_image({canvas_.x + fx * canvas_.width, canvas_.y + fy * canvas_.height});
      x0 = std::min(x0, p.x);
      x1 = std::max(x1, p.x);
      y0 = std::min(y0, p.y);
      y1 = std::max(y1, p.y);
    }
  }
  const auto cut = [](double v, std::int64_t n) {
    return static_cast<std::int64_t>(std::clamp(v, 0.0, static_cast<double>(n)));
  };
  const std::int64_t left = cut(std::floor(x0 + 0.5), image.nx), right = cut(std::ceil(x1 + 0.5), image.nx);
  const std::int64_t low = cut(std::floor(y0 + 0.5), image.ny), high = cut(std::ceil(y1 + 0.5), image.ny);
  return {low, left, std::max<std::int64_t>(0, high - low), std::max<std::int64_t>(0, right - left)};
}

ViewTransform fit_view(ViewTransform view, Shape image, ScreenRect canvas) {
  view.centre = {0.5 * static_cast<double>(image.nx - 1), 0.5 * static_cast<double>(image.ny - 1)};
  const double angle = view.rotation_deg * std::numbers::pi / 180;
  const double c = std::abs(std::cos(angle)), s = std::abs(std::sin(angle));
  const double nx = static_cast<double>(image.nx), ny = static_cast<double>(image.ny);
  const double wide = std::max(1.0, c * nx + s * ny), high = std::max(1.0, s * nx + c * ny);
  view.zoom = 0.98 * std::min(canvas.width / wide, canvas.height / high);
  view.zoom = std::clamp(view.zoom, kLeastZoom, kMostZoom);
  return view;
}

ViewTransform zoom_at(const ViewTransform& view, ScreenRect canvas, ScreenPoint at, double factor) {
  const PixelPosition fixed = CanvasTransform(view, canvas).to_image(at);
  ViewTransform zoomed = view;
  zoomed.zoom = std::clamp(view.zoom * factor, kLeastZoom, kMostZoom);
  const PixelPosition moved = CanvasTransform(zoomed, canvas).to_image(at);
  zoomed.centre.x += fixed.x - moved.x;
  zoomed.centre.y += fixed.y - moved.y;
  return zoomed;
}

ViewTransform pan_by(const ViewTransform& view, ScreenRect canvas, double dx, double dy) {
  const CanvasTransform transform(view, canvas);
  ViewTransform moved = view;
  moved.centre = transform.to_image({canvas.x + 0.5 * canvas.width - dx, canvas.y + 0.5 * canvas.height - dy});
  return moved;
}

ViewTransform north_up(ViewTransform view, const Wcs& wcs) {
  const auto m = wcs.sky_per_pixel(view.centre.x, view.centre.y);
  if (!m || !(std::abs(m->determinant()) > 0)) return view;
  // Image direction of north: the column of the inverse matrix.
  const double d = m->determinant();
  const double north_x = -m->b / d, north_y = m->a / d;
  // East lies to the left where the matrix turns the plane over, as the sky does; else x is flipped.
  view.flip_x = d > 0;
  view.flip_y = false;
  const double fx = view.flip_x ? -north_x : north_x;
  view.rotation_deg = (std::atan2(fx, north_y)) * 180 / std::numbers::pi;
  return view;
}

}  // namespace reber::gui
