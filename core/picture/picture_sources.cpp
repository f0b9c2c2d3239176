// SPDX-License-Identifier: BSD-3-Clause
// Ellipses in one layer, whose geometry is that of the cell of the image in which they lie.
#include "core/picture/picture_sources.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "core/catalogue/catalogue_writers.hpp"

namespace reber {
namespace {

/// The sky's axes on the pixel grid, kept for each of 32 x 32 cells: within one they turn by less than a line is wide.
class Geometry {
 public:
  Geometry(const Wcs& wcs, Shape shape) : wcs_(wcs), shape_(shape), known_(kCells * kCells) {}

  /// At the centre of the cell that holds (x, y), or at (x, y) itself outside the image; empty off the sky.
  std::optional<Matrix2> at(double x, double y) {
    const double u = (x + 0.5) / static_cast<double>(shape_.nx), v = (y + 0.5) / static_cast<double>(shape_.ny);
    if (!(u >= 0 && u < 1 && v >= 0 && v < 1)) return wcs_.sky_per_pixel(x, y);
    const int i = static_cast<int>(u * kCells), j = static_cast<int>(v * kCells);
    Cell& cell = known_[static_cast<std::size_t>(j * kCells + i)];
    if (!cell.asked) {
      cell.asked = true;
      cell.matrix = wcs_.sky_per_pixel((i + 0.5) / kCells * static_cast<double>(shape_.nx) - 0.5,
                                       (j + 0.5) / kCells * static_cast<double>(shape_.ny) - 0.5);
    }
    return cell.matrix ? cell.matrix : wcs_.sky_per_pixel(x, y);
  }

 private:
  static constexpr int kCells = 32;
  struct Cell {
    bool asked = false;
    std::optional<Matrix2> matrix;
  };
  const Wcs& wcs_;
  Shape shape_;
  std::vector<Cell> known_;
};

/// Size and ink of outlines.
struct Style {
  double least;  ///< radius in final pixels: smaller outlines hide the source instead of marking it
  double thickness;
  Ink ink;
};

Style style_for(std::size_t count, const PictureLayout& layout) {
  constexpr Ink kFew{64, 224, 255, 0.9}, kMany{64, 224, 255, 0.65};
  const double room = std::sqrt(static_cast<double>(layout.width) * layout.height / static_cast<double>(count));
  const double least = std::min(7 * layout.unit, std::max(2.0, 0.3 * room));
  const bool crowded = least < 4 * layout.unit;
  return {least, (crowded ? 0.6 : 1.1) * layout.unit, crowded ? kMany : kFew};
}

/// In pixels of the image.
std::optional<PixelPosition> position(const PlaceColumns& place, std::size_t row, const Wcs& wcs) {
  const auto value = [row](const std::vector<double>* column) {
    return column != nullptr ? (*column)[row] : std::numeric_limits<double>::quiet_NaN();
  };
  const double x = value(place.x), y = value(place.y), lon = value(place.lon), lat = value(place.lat);
  if (std::isfinite(x) && std::isfinite(y)) return PixelPosition{x, y};
  if (!std::isfinite(lon) || !std::isfinite(lat)) return std::nullopt;
  return wcs.to_pixel({lon, lat});
}

/// Squared FWHMs on the pixel grid; zeros where the source has no size.
Covariance shape_of(const PlaceColumns& place, std::size_t row, const std::optional<Matrix2>& matrix) {
  if (!matrix || !(std::abs(matrix->determinant()) > 0)) return {0, 0, 0};
  if (place.major == nullptr || place.minor == nullptr || place.pa == nullptr) return {0, 0, 0};
  const double major = (*place.major)[row], minor = (*place.minor)[row], pa = (*place.pa)[row];
  if (!(major > 0 && minor > 0) || !std::isfinite(pa)) return {0, 0, 0};
  return to_pixels(sky_covariance(major, minor, pa), *matrix);
}

}  // namespace

std::vector<Point> outline(const PictureLayout& layout, double x, double y, const Covariance& c, double grow) {
  // Any square root of the matrix maps the unit circle to the ellipse; this is the Cholesky one.
  const double a = std::sqrt(std::max(c.xx, 0.0));
  const double b = a > 0 ? c.xy / a : 0;
  const double d = std::sqrt(std::max(c.yy - b * b, 0.0));
  // A chord of two final pixels strays from its arc by less than a tenth of one.
  const double radius = 0.5 * grow * std::sqrt(std::max(c.xx, c.yy)) * std::max(layout.x_scale(), layout.y_scale());
  const int count = static_cast<int>(std::clamp(std::numbers::pi * radius, 16.0, 96.0));
  std::vector<Point> points;
  points.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    const double t = 2 * std::numbers::pi * i / count;
    const double u = 0.5 * grow * std::cos(t), v = 0.5 * grow * std::sin(t);
    points.push_back(layout.point(x + a * u, y + b * u + d * v));
  }
  return points;
}

void draw_sources(Canvas& canvas, const PictureLayout& layout, const Catalogue& sources, const Wcs& wcs) {
  if (sources.rows() == 0) return;
  const PlaceColumns place = place_columns(sources);
  const auto count = static_cast<std::size_t>(sources.rows());
  const Style style = style_for(count, layout);
  Geometry geometry(wcs, layout.shape);
  std::vector<std::vector<Point>> outlines;
  outlines.reserve(count);
  for (std::size_t row = 0; row < count; ++row) {
    const auto at = position(place, row, wcs);
    if (!at) continue;
    const Covariance shape = shape_of(place, row, geometry.at(at->x, at->y));
    const double size =
        std::sqrt(std::sqrt(std::max(0.0, shape.xx * shape.yy - shape.xy * shape.xy))) * layout.x_scale();
    const double radius = 2 * style.least / layout.x_scale();
    outlines.push_back(size > 0 ? outline(layout, at->x, at->y, shape, std::max(1.6, 2 * style.least / size))
                                : outline(layout, at->x, at->y, {radius * radius, 0, radius * radius}, 1));
  }
  canvas.polylines(outlines, style.ink, style.thickness, true);
}

}  // namespace reber
