// SPDX-License-Identifier: BSD-3-Clause
// Holds one image over another by their sky coordinates: exactly at a point, by an affine map around it, and how far
// such a map is off.
#pragma once

#include <optional>
#include <string>

#include "core/base/shape.hpp"
#include "core/sky/model/place_grid.hpp"
#include "core/sky/model/wcs.hpp"
#include "gui/model/sky/view_transform.hpp"

namespace reber::gui {

/// to = origin_to + matrix (from - origin_from)
struct AffineMap {
  PixelPosition origin_from, origin_to;
  Matrix2 matrix;

  [[nodiscard]] PixelPosition operator()(PixelPosition pixel) const;
};

/// The way from the pixels of one image to those of another through the sky by WCSLIB, frames converted. Keeps its own
/// copies of both systems: one object per thread.
class SkyLock {
 public:
  /// shapes: of the images, which may go around the sky from any longitude on (PlaceMap); empty: WCSLIB's places alone
  SkyLock(const Wcs& from, const Wcs& to, Shape from_shape = {}, Shape to_shape = {});
  /// Why there is no way: no celestial system, or a frame that cannot be converted; empty where there is one.
  [[nodiscard]] const std::string& why_not() const { return why_not_; }

  /// The pixel of `to` at the sky position of a pixel of `from`; empty off the sky.
  [[nodiscard]] std::optional<PixelPosition> operator()(PixelPosition pixel) const;
  /// The map around one pixel, its matrix by central differences over `step` pixels.
  [[nodiscard]] std::optional<AffineMap> affine(PixelPosition around, double step = 1) const;

 private:
  std::optional<PlaceMap> map_;
  std::string why_not_;
};

/// The view of the other image that shows the same sky at the same scale and orientation: its centre is exact, flip,
/// rotation and zoom are those nearest to the affine map (a view knows no shear).
[[nodiscard]] ViewTransform locked_view(const ViewTransform& view, const AffineMap& map);

/// How two images lie over each other where they overlap.
struct GridFit {
  bool same = false;  ///< one shape, and all pixels on the same places to 1/20
  /// Largest distance from where a pixel of the other image is to where locked_view() shows it, for views about the
  /// overlap's middle and ends; in pixels of either image, whichever are more. Infinite where no place has such a view;
  /// 0 without an overlap.
  double off_px = 0;
  double scale = 1;  ///< pixels of the other image to one of the first, along a line; the fewest of those views
};

/// Looked at on 33 x 33 places of either image.   there: from the first to the other;   back: the same way back
[[nodiscard]] GridFit fit_of(const SkyLock& there, const SkyLock& back, Shape from, Shape to);

}  // namespace reber::gui
