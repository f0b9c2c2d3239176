// SPDX-License-Identifier: BSD-3-Clause
// Where the pixels of one image lie in another: exact places at nodes, bilinear between them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/shape.hpp"
#include "core/sky/model/sky_frames.hpp"
#include "core/sky/model/wcs.hpp"

namespace reber {

/// An offset on the sky, in the frame of the image that it belongs to: true place - stated place, arcsec, east and
/// north.
struct SkyShift {
  double east_arcsec = 0, north_arcsec = 0;
};

/// From pixels of one image to pixels of another through the sky, by WCSLIB. Copies are for other threads.
class PlaceMap {
 public:
  /// shift     what is added to the places that `to` states
  /// shapes    of images whose pixels may go around the sky from any longitude on, where WCSLIB's go from -180 to 180
  ///           degrees of a cylindrical projection: the place in `to` is the one inside, if any; a pixel of `from` has
  ///           the place of the one once around, where that is no pixel of `from` itself. Empty: WCSLIB's alone
  ///   throws InputError where an image has no sky coordinates, or frames cannot be converted into each other
  PlaceMap(const Wcs& from, const Wcs& to, const SkyShift& shift = {}, Shape to_shape = {}, Shape from_shape = {});
  /// Pixels of `from` become pixels of `to`, both from 0; NaN where there is no such place.
  void operator()(std::span<PixelPosition> places) const;
  /// Of one pixel.
  [[nodiscard]] PixelPosition operator()(PixelPosition pixel) const;

 private:
  Wcs from_, to_;
  SkyConverter convert_;
  SkyShift shift_;
  Shape to_shape_, from_shape_;
  /// Pixels of once around the sky; 0 where that is nothing.
  PixelPosition from_around_{0, 0}, to_around_{0, 0};
};

/// Blocks of kPlaceBlock x kPlaceBlock pixels, counted from pixel 0, so that no result depends on the rectangle.
inline constexpr std::int64_t kPlaceBlock = 64;

/// Nodes of a block: (kPlaceBlock / step + 1)^2, row-major, step = 2^shift pixels apart; where that is 1, places are
/// exact.
struct PlaceBlock {
  std::int64_t first = 0;   ///< its first node
  std::int32_t shift = -1;  ///< below 0: no pixel has a place
  float part = 0;           ///< 1 / step

  [[nodiscard]] constexpr std::int64_t width() const { return (kPlaceBlock >> shift) + 1; }
};

/// What a kernel takes by value.
struct PlaceView {
  const PlaceBlock* blocks = nullptr;
  const PixelPosition* nodes = nullptr;
  std::int64_t y0 = 0, x0 = 0;  ///< pixel of the first block
  std::int64_t blocks_x = 0;
};

/// The place of a pixel; NaN where it has none. The same bits on every machine.
constexpr PixelPosition place_of(const PlaceView& view, std::int64_t y, std::int64_t x) {
  constexpr double kNowhere = __builtin_nan("");
  const std::int64_t v = y - view.y0, u = x - view.x0;
  const PlaceBlock block = view.blocks[(v / kPlaceBlock) * view.blocks_x + u / kPlaceBlock];
  if (block.shift < 0) return {kNowhere, kNowhere};
  const std::int64_t width = block.width(), rest = (std::int64_t{1} << block.shift) - 1;
  const std::int64_t in_v = v % kPlaceBlock, in_u = u % kPlaceBlock;
  const PixelPosition* const node = view.nodes + block.first + (in_v >> block.shift) * width + (in_u >> block.shift);
  if (block.shift == 0) return *node;
  const auto part = static_cast<double>(block.part);
  const double fv = static_cast<double>(in_v & rest) * part, fu = static_cast<double>(in_u & rest) * part;
  const PixelPosition &n00 = node[0], &n01 = node[1], &n10 = node[width], &n11 = node[width + 1];
  const double left_x = n00.x + fv * (n10.x - n00.x), right_x = n01.x + fv * (n11.x - n01.x);
  const double left_y = n00.y + fv * (n10.y - n00.y), right_y = n01.y + fv * (n11.y - n01.y);
  return {left_x + fu * (right_x - left_x), left_y + fu * (right_y - left_y)};
}

/// Places of the pixels of a rectangle of the output. Where nodes 32 px apart are not enough for kPlaceError they stand
/// closer, down to one per pixel; so they do beside the edge of the sky, and where the input is cut (the far side of an
/// all-sky map), over which nothing is interpolated. Immutable.
class PlaceGrid {
 public:
  /// Largest difference from WCSLIB's place, pixels of the input.
  static constexpr double kPlaceError = 1e-3;

  PlaceGrid(const PlaceMap& map, const Rect& area, int threads = 0);

  [[nodiscard]] const Rect& area() const { return area_; }
  [[nodiscard]] PlaceView view() const { return {blocks_.data(), nodes_.data(), y0_, x0_, blocks_x_}; }
  [[nodiscard]] std::span<const PlaceBlock> blocks() const { return blocks_; }
  [[nodiscard]] std::span<const PixelPosition> nodes() const { return nodes_; }
  [[nodiscard]] PixelPosition at(std::int64_t y, std::int64_t x) const { return place_of(view(), y, x); }
  /// Pixels of the input per pixel of the output, about this pixel; NaN where it or its neighbours have no place.
  [[nodiscard]] double area_ratio(std::int64_t y, std::int64_t x) const;
  /// Pixels of an input of this shape that lie within `reach` of a place of `part`, a rectangle inside area();
  /// empty where there are none.
  [[nodiscard]] Rect needs(const Rect& part, Shape input, std::int64_t reach) const;

 private:
  Rect area_;
  std::int64_t y0_, x0_, blocks_y_, blocks_x_;
  std::vector<PlaceBlock> blocks_;
  std::vector<PixelPosition> nodes_;
};

}  // namespace reber
