// SPDX-License-Identifier: BSD-3-Clause
// Tiles of pixels that large cells hold, or miss, are decided at once; the others are divided, down to pixels.
#include "core/sky/mask/moc_mask.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "core/base/error.hpp"
#include "core/base/thread_pool.hpp"
#include "core/sky/mask/moc.hpp"
#include "core/sky/model/sky_frames.hpp"

namespace reber {
namespace {

constexpr std::int64_t kTile = 64, kLeaf = 2;
/// A face of HEALPix is the square [0, 1]^2; a step of one radian on the sky is at most this far there. The slope is
/// largest near the poles: hypot(0.78, 1.22).
constexpr double kFacePerRadian = 1.5;

/// Even bits of a cell's number together: its column; of the number shifted by one: its row.
std::int64_t gathered(std::int64_t cell) {
  std::int64_t out = 0;
  for (int bit = 0; bit < kDeepestOrder; ++bit) out |= (cell >> (2 * bit) & 1) << bit;
  return out;
}

/// The even bits of a number apart, as gathered() takes them.
std::int64_t scattered(std::int64_t place) {
  std::int64_t out = 0;
  for (int bit = 0; bit < kDeepestOrder; ++bit) out |= (place >> bit & 1) << (2 * bit);
  return out;
}

/// Whether cells [first, end) are covered wholly, or not at all; empty for in part.
std::optional<bool> covered(const SkyRanges& sky, std::int64_t first, std::int64_t end) {
  const auto after = std::ranges::upper_bound(sky, first, {}, &CellRange::first);
  if (after != sky.begin() && first < std::prev(after)->end)
    return end <= std::prev(after)->end ? std::optional(true) : std::nullopt;
  return after == sky.end() || end <= after->first ? std::optional(false) : std::nullopt;
}

/// Of all places of a face within `reach` of a cell, in sides of the face, where one answer holds for them: that of the
/// few cells that hold the square about it, of an order whose cells are as large as the square.
std::optional<bool> covered_around(const SkyRanges& sky, std::int64_t cell, double reach) {
  const std::int64_t face = cell >> (2 * kDeepestOrder), side = std::int64_t{1} << kDeepestOrder;
  const std::int64_t of_face = cell & ((std::int64_t{1} << (2 * kDeepestOrder)) - 1);
  const std::int64_t x = gathered(of_face), y = gathered(of_face >> 1);
  const auto far = static_cast<std::int64_t>(std::ceil(std::ldexp(reach, kDeepestOrder))) + 1;
  if (x < far || y < far || x + far >= side || y + far >= side) return std::nullopt;
  int up = 0;
  while (up < kDeepestOrder && std::int64_t{1} << up < 2 * far) ++up;
  std::optional<bool> all;
  for (std::int64_t iy = (y - far) >> up; iy <= (y + far) >> up; ++iy)
    for (std::int64_t ix = (x - far) >> up; ix <= (x + far) >> up; ++ix) {
      const std::int64_t within = scattered(ix) | scattered(iy) << 1,
                         above = face << (2 * (kDeepestOrder - up)) | within;
      const auto one = covered(sky, above << (2 * up), (above + 1) << (2 * up));
      if (!one || (all && *all != *one)) return std::nullopt;
      all = one;
    }
  return all;
}

/// Decides the pixels of one thread's tiles.
class Painter {
 public:
  Painter(const SkyRanges& sky, const Wcs& wcs, const SkyConverter& to_icrs, Mask& mask)
      : sky_(sky), wcs_(wcs), to_icrs_(to_icrs), mask_(mask) {
    // Maps that are cut along more than their outline: nothing follows from the corners of a tile.
    constexpr std::array kCut{"HPX", "XPH", "TSC", "CSC", "QSC"};
    whole_ = std::ranges::none_of(kCut, [&](const char* one) { return wcs.projection() == one; });
  }

  /// far: from the middle of the tile to its corners, radians, with a margin; 0 where that is not known
  void tile(std::int64_t y, std::int64_t x, std::int64_t side, double far = 0) {
    const std::int64_t ny = std::min(side, mask_.shape.ny - y), nx = std::min(side, mask_.shape.nx - x);
    if (ny <= 0 || nx <= 0) return;
    if (side <= kLeaf) {
      for (std::int64_t row = y; row < y + ny; ++row)
        for (std::int64_t column = x; column < x + nx; ++column) {
          const auto cell = cell_at(static_cast<double>(column), static_cast<double>(row));
          if (cell && covers(sky_, *cell)) paint(row, column, 1);
        }
      return;
    }
    if (!(far > 0)) far = size_of(y, x, side);
    if (far > 0) {
      const double half = 0.5 * static_cast<double>(side - 1);
      const auto cell = cell_at(static_cast<double>(x) + half, static_cast<double>(y) + half);
      if (const auto inside = cell ? covered_around(sky_, *cell, far * kFacePerRadian) : std::nullopt) {
        for (std::int64_t row = y; *inside && row < y + ny; ++row) paint(row, x, nx);
        return;
      }
    }
    const std::int64_t half = side / 2;
    for (const std::int64_t row : {y, y + half})
      for (const std::int64_t column : {x, x + half}) tile(row, column, half, 0.55 * far);
  }

 private:
  [[nodiscard]] std::optional<std::int64_t> cell_at(double x, double y) const {
    const auto sky = wcs_.to_sky(x, y);
    if (!sky) return std::nullopt;
    const SkyPosition place = to_icrs_(*sky);
    return healpix_cell(place.lon_deg, place.lat_deg, kDeepestOrder);
  }

  void paint(std::int64_t y, std::int64_t x, std::int64_t count) {
    std::fill_n(mask_.pixels.begin() + y * mask_.shape.nx + x, count, 1);
  }

  /// From the middle of the tile to the farthest of its corners, and half as far again, radians; 0 for tiles off the
  /// sky and wide ones.
  [[nodiscard]] double size_of(std::int64_t y, std::int64_t x, std::int64_t side) const {
    constexpr double kMargin = 1.5, kWidestDeg = 10;
    const auto x0 = static_cast<double>(x), y0 = static_cast<double>(y), across = static_cast<double>(side - 1);
    const auto middle = whole_ ? wcs_.to_sky(x0 + across / 2, y0 + across / 2) : std::nullopt;
    if (!middle) return 0;
    double far = 0;
    for (const PixelPosition& corner :
         {PixelPosition{x0, y0}, {x0 + across, y0}, {x0, y0 + across}, {x0 + across, y0 + across}}) {
      const auto sky = wcs_.to_sky(corner.x, corner.y);
      if (!sky) return 0;
      far = std::max(far, separation_deg(*middle, *sky));
    }
    return far < kWidestDeg ? kMargin * far * std::numbers::pi / 180 : 0;
  }

  const SkyRanges& sky_;
  Wcs wcs_;
  SkyConverter to_icrs_;
  Mask& mask_;
  bool whole_ = true;
};

}  // namespace

bool covers(const SkyRanges& sky, std::int64_t cell) {
  const auto after = std::ranges::upper_bound(sky, cell, {}, &CellRange::first);
  return after != sky.begin() && cell < std::prev(after)->end;
}

Mask mask_of(const SkyRanges& sky, const Wcs& wcs, Shape shape, const Progress& progress) {
  if (!wcs.celestial()) throw InputError("a coverage map needs sky positions: " + wcs.why_not());
  const auto system = system_of(wcs);
  if (!system)
    throw InputError(
        fmt::format("a coverage map is in ICRS, and positions of {} cannot be turned into it", wcs.frame_name()));
  Mask mask(shape);
  ThreadPool pool;
  const SkyConverter to_icrs(*system, SkySystem{});
  std::vector<Painter> painters;
  for (int worker = 0; worker < pool.threads(); ++worker) painters.emplace_back(sky, wcs, to_icrs, mask);
  pool.for_each_worker((shape.ny + kTile - 1) / kTile, [&](std::int64_t row, int worker) {
    for (std::int64_t x = 0; x < shape.nx; x += kTile) {
      progress.check();
      painters[static_cast<std::size_t>(worker)].tile(row * kTile, x, kTile);
    }
  });
  return mask;
}

}  // namespace reber
