// SPDX-License-Identifier: BSD-3-Clause
// The pixels of an image on the grid of another, made as they are asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "core/sky/model/image_header.hpp"
#include "core/sky/model/pixel_source.hpp"
#include "core/sky/model/place_grid.hpp"
#include "core/sky/model/resample_table.hpp"
#include "gui/model/image/pyramid.hpp"

namespace reber::gui {

/// Values at the places of the grid's pixels, as `reber regrid` finds them: places are WCSLIB's to
/// PlaceGrid::kPlaceError pixels, weights are fitted to the image's beam. NaN off the image, and where one of the four
/// pixels about a place is blank. Brightness keeps its value, and so do values per pixel. Floats of this machine; from
/// any thread.
class LaidPixels final : public PixelSource {
 public:
  /// pixels   of `image`, or of a map on its grid; its level 0 is there
  /// onto     whose grid they are laid on
  ///   throws InputError as PlaceMap
  LaidPixels(std::shared_ptr<const Pyramid> pixels, const ImageHeader& image, const ImageHeader& onto,
             Interpolation how);
  [[nodiscard]] Shape shape() const override { return shape_; }
  [[nodiscard]] PixelFormat format() const override { return {}; }
  /// throws Cancelled as Pyramid::read
  void read_rows(std::int64_t y0, std::int64_t ny, std::byte* out) const override;

 private:
  void fill(const PlaceMap& map, const Rect& part, const Rect& rows, float* out) const;

  std::shared_ptr<const Pyramid> pixels_;
  Shape shape_;
  PlaceMap map_;
  mutable std::mutex copying_;  ///< of map_
  ResampleTable table_;
};

}  // namespace reber::gui
