// SPDX-License-Identifier: BSD-3-Clause
// Holds one image over another by their sky coordinates: exactly at a point, by an affine map around it.
#pragma once

#include <optional>
#include <string>

#include "core/sky/model/image.hpp"
#include "core/sky/model/sky_frames.hpp"
#include "core/sky/model/wcs.hpp"
#include "gui/model/sky/view_transform.hpp"

namespace reber::gui {

/// to = origin_to + matrix (from - origin_from)
struct AffineMap {
  PixelPosition origin_from, origin_to;
  Matrix2 matrix;

  [[nodiscard]] PixelPosition operator()(PixelPosition pixel) const;
};

/// The way from the pixels of one image to those of another through the sky, frames converted. Keeps its own copies of
/// both systems: one object per thread.
class SkyLock {
 public:
  SkyLock(const Wcs& from, const Wcs& to);
  /// Why there is no way: no celestial system, or a frame that cannot be converted; empty where there is one.
  [[nodiscard]] const std::string& why_not() const { return why_not_; }

  /// The pixel of `to` at the sky position of a pixel of `from`; empty off the sky.
  [[nodiscard]] std::optional<PixelPosition> operator()(PixelPosition pixel) const;
  /// The map around one pixel, its matrix by central differences over `step` pixels.
  [[nodiscard]] std::optional<AffineMap> affine(PixelPosition around, double step = 1) const;

 private:
  Wcs from_, to_;
  SkyConverter converter_;
  std::string why_not_;
};

/// The view of the other image that shows the same sky at the same scale and orientation: its centre is exact, flip,
/// rotation and zoom are those nearest to the affine map (a view knows no shear).
[[nodiscard]] ViewTransform locked_view(const ViewTransform& view, const AffineMap& map);

/// `other` on the grid of the lock's first image, rows [y0, y0 + rows.ny): bilinear, blank where a needed pixel is
/// blank or outside. The lock is exact at every `step`-th pixel and linear between. The flux scale is left alone: right
/// for brightness (Jy/beam).
void resample_rows(const SkyLock& lock, ConstImageView other, std::int64_t y0, ImageView rows, std::int64_t step = 16);

}  // namespace reber::gui
