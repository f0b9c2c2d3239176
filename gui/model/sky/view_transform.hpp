// SPDX-License-Identifier: BSD-3-Clause
// Where the pixels of an image lie on the screen.
#pragma once

#include "core/base/shape.hpp"
#include "core/sky/model/wcs.hpp"

namespace reber::gui {

// Three units. An *image pixel* is one value of a plane; PixelPosition counts them from 0, whole numbers at the pixels'
// centres, y as FITS stores rows. A *canvas point* is the unit of the window, of ImGui and of the mouse; ScreenPoint
// and ScreenRect count them from the window's upper left corner, y down. ViewTransform::zoom is canvas points per image
// pixel. A *screen pixel* is one dot of what OpenGL draws into; screens of high density have two per canvas point and
// more, pictures for files as many as were asked for. CanvasTransform goes between the first two; renderers are given a
// transform whose points are the screen pixels of their target.

/// A place on the window, in canvas points.
struct ScreenPoint {
  double x = 0, y = 0;
};

struct ScreenRect {
  double x = 0, y = 0, width = 0, height = 0;
  [[nodiscard]] bool contains(ScreenPoint p) const {
    return p.x >= x && p.y >= y && p.x < x + width && p.y < y + height;
  }
  bool operator==(const ScreenRect&) const = default;
};

/// Screen = canvas centre + zoom R F (image - centre): F flips x and y, R turns by rotation_deg, counter-clockwise as
/// seen. The image's y points up on the screen where nothing is flipped, as FITS has it. Image positions are 0-based
/// with pixel centres at integers.
struct ViewTransform {
  PixelPosition centre;  ///< image position at the middle of the canvas
  double zoom = 1;       ///< canvas points per image pixel
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
  /// Direction without the shift: image pixels -> canvas points.
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
/// Moves the image with the hand: by (dx, dy) canvas points.
[[nodiscard]] ViewTransform pan_by(const ViewTransform& view, ScreenRect canvas, double dx, double dy);
/// Rotation and flip that put north up and east to the left at the view's centre; unchanged without a celestial system.
[[nodiscard]] ViewTransform north_up(ViewTransform view, const Wcs& wcs);

}  // namespace reber::gui
