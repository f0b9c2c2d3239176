// SPDX-License-Identifier: BSD-3-Clause
// Where the pixels of an image lie on the screen.
#pragma once

#include "core/base/shape.hpp"
#include "core/model/wcs.hpp"

namespace reber::gui {

/// Screen position in window coordinates: x right, y down, framebuffer-independent units as ImGui has them.
struct ScreenPoint {
  double x = 0, y = 0;
};

struct ScreenRect {
  double x = 0, y = 0, width = 0, height = 0;
  [[nodiscard]] bool contains(ScreenPoint p) const {
    return p.x >= x && p.y >= y && p.x < x + width && p.y < y + height;
  }
};

/// Screen = canvas centre + zoom R F (image - centre): F flips x and y, R turns by rotation_deg, counter-clockwise as
/// seen. The image's y points up on the screen where nothing is flipped, as FITS has it. Image positions are 0-based
/// with pixel centres at integers.
struct ViewTransform {
  PixelPosition centre;  ///< image position at the middle of the canvas
  double zoom = 1;       ///< screen units an image pixel
  bool flip_x = false, flip_y = false;
  double rotation_deg = 0;

  bool operator==(const ViewTransform&) const;
};

inline constexpr double kLeastZoom = 1.0 / 1024, kMostZoom = 256;

/// A view on its canvas. Cheap to copy; all positions in double.
class CanvasTransform {
 public:
  CanvasTransform() = default;
  CanvasTransform(const ViewTransform& view, ScreenRect canvas);

  [[nodiscard]] ScreenPoint to_screen(PixelPosition image) const;
  [[nodiscard]] PixelPosition to_image(ScreenPoint screen) const;
  /// Direction without the shift: image pixels -> screen units.
  [[nodiscard]] ScreenPoint direction(double dx, double dy) const;
  /// Smallest rectangle of whole pixels that covers the canvas, cut to the image; empty where nothing is in view.
  [[nodiscard]] Rect visible(Shape image) const;
  [[nodiscard]] const ScreenRect& canvas() const { return canvas_; }
  [[nodiscard]] double zoom() const { return view_.zoom; }
  [[nodiscard]] const ViewTransform& view() const { return view_; }

 private:
  ViewTransform view_;
  ScreenRect canvas_;
  Matrix2 forward_, inverse_;
};

/// The whole image in the canvas, with a margin of 2 %; keeps flips and rotation.
[[nodiscard]] ViewTransform fit_view(ViewTransform view, Shape image, ScreenRect canvas);
/// Zoom by a factor so that the image position under `at` stays there.
[[nodiscard]] ViewTransform zoom_at(const ViewTransform& view, ScreenRect canvas, ScreenPoint at, double factor);
/// Moves the image with the hand: by (dx, dy) screen units.
[[nodiscard]] ViewTransform pan_by(const ViewTransform& view, ScreenRect canvas, double dx, double dy);
/// Rotation and flip that put north up and east to the left at the view's centre; unchanged without a celestial system.
[[nodiscard]] ViewTransform north_up(ViewTransform view, const Wcs& wcs);

}  // namespace reber::gui
