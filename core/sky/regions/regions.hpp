// SPDX-License-Identifier: BSD-3-Clause
// Regions drawn on an image: shapes, handles, and what lies inside.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/shape.hpp"
#include "core/sky/model/wcs.hpp"

namespace reber {

/// Which pixels count whose centres lie on a border.
///   ds9    of boxes and polygons those on the upper and right side, so that boxes side by side share none and lose
///          none; of ellipses none                                                   (funtools 1.4, as DS9's counts)
///   casa   all, in single precision (casa_rows.hpp); an annulus less its inner disc                        (casacore)
enum class Border { ds9, casa };

/// A shape in image pixels (0-based). Ellipses and boxes have a centre, half sizes and the angle of their first axis,
/// counter-clockwise from +x, and may have a hole of their own shape and be a sector; polygons and lines have their
/// points; a point has its centre.
struct Region {
  enum class Kind { ellipse, box, polygon, line, point };
  Kind kind = Kind::ellipse;
  PixelPosition centre;
  double half_x = 0, half_y = 0;
  double angle_deg = 0;
  std::vector<PixelPosition> points;
  std::string name;
  bool excluded = false;            ///< marked with "-" in its file; kept when written
  double inner_x = 0, inner_y = 0;  ///< half sizes of the hole of an annulus; 0: none
  double from_deg = 0, to_deg = 0;  ///< of a sector, counted like angle_deg and from it; equal: all of it
  Border border = Border::ds9;

  [[nodiscard]] bool is_sector() const { return to_deg > from_deg; }
  [[nodiscard]] bool has_area() const { return kind != Kind::line && kind != Kind::point; }
};

[[nodiscard]] const char* name_of(Region::Kind kind);

/// True where the position is inside, for a pointer; even-odd rule for polygons. Pixels: for_each_span().
[[nodiscard]] bool contains(const Region& region, PixelPosition p);
/// The hole of an annulus as a region; empty where there is none.
[[nodiscard]] std::optional<Region> hole_of(const Region& region);
/// Middle of the region.
[[nodiscard]] PixelPosition centre_of(const Region& region);
/// Closed outline (open for a line; one point for a point).
[[nodiscard]] std::vector<PixelPosition> outline_of(const Region& region, int ellipse_points = 96);
/// Least rectangle of whole pixels around it, cut to the image; empty where it lies outside.
[[nodiscard]] Rect bounds_of(const Region& region, Shape image);
/// Distance in pixels from a position to the outline.
[[nodiscard]] double distance_to_outline(const Region& region, PixelPosition p);

/// Handles: the four corners of ellipses and boxes (their bounding box turned with them), then one that turns them; the
/// points of polygons and lines.   turn_reach  distance of the turning handle beyond the first half size, pixels
[[nodiscard]] std::vector<PixelPosition> handles_of(const Region& region, double turn_reach);
/// The region after handle `handle` was pulled to `to`: a corner moves and the opposite one stays (both move where
/// `symmetric`); the turning handle turns it.
[[nodiscard]] Region pull_handle(const Region& region, std::size_t handle, PixelPosition to, bool symmetric);
/// The same about its middle, `factor` times as large.
[[nodiscard]] Region scaled(const Region& region, double factor);
[[nodiscard]] Region moved(const Region& region, double dx, double dy);
/// An ellipse or box with opposite corners at both positions.
[[nodiscard]] Region region_between(Region::Kind kind, PixelPosition a, PixelPosition b);

}  // namespace reber
