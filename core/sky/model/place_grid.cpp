// SPDX-License-Identifier: BSD-3-Clause
// Nodes set closer until the places between them are right.
#include "core/sky/model/place_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/base/error.hpp"
#include "core/base/thread_pool.hpp"

namespace reber {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
/// Pixels between the nodes that every block begins with.
constexpr std::int64_t kCoarse = kPlaceBlock / 2;
/// What bilinear places may err by where nodes are twice as far apart, which is four times their own error. Half of
/// kPlaceError is left for where the error is largest, which is not where it is looked at.
constexpr double kAtTwice = 2 * PlaceGrid::kPlaceError;

bool known(const PixelPosition& place) { return std::isfinite(place.x) && std::isfinite(place.y); }

double apart(const PixelPosition& a, const PixelPosition& b) {
  return std::max(std::abs(a.x - b.x), std::abs(a.y - b.y));
}

PixelPosition middle(const PixelPosition& a, const PixelPosition& b) { return {(a.x + b.x) / 2, (a.y + b.y) / 2}; }

/// A square lattice of places, its rows without gaps.
struct Lattice {
  std::int64_t width = 0;
  const PixelPosition* places = nullptr;
  [[nodiscard]] const PixelPosition& at(std::int64_t v, std::int64_t u) const { return places[v * width + u]; }
};

/// Largest error of bilinear places between every second node of [v0, v0 + n] x [u0, u0 + n], at the nodes between. NaN
/// where a node has no place.
double error_at_twice(const Lattice& nodes, std::int64_t v0, std::int64_t u0, std::int64_t n) {
  double most = 0;
  for (std::int64_t v = v0; v < v0 + n; v += 2)
    for (std::int64_t u = u0; u < u0 + n; u += 2) {
      const auto node = [&](std::int64_t j, std::int64_t i) { return nodes.at(v + j, u + i); };
      const PixelPosition upper = middle(node(0, 0), node(0, 2)), lower = middle(node(2, 0), node(2, 2));
      for (const double error :
           {apart(node(0, 1), upper), apart(node(2, 1), lower), apart(node(1, 0), middle(node(0, 0), node(2, 0))),
            apart(node(1, 2), middle(node(0, 2), node(2, 2))), apart(node(1, 1), middle(upper, lower))})
        if (error > most || std::isnan(error)) most = error;
      if (std::isnan(most)) return most;
    }
  return most;
}

/// Places of the first pixel of a block on, `step` apart.
std::vector<PixelPosition> nodes_of(const PlaceMap& map, std::int64_t y, std::int64_t x, std::int64_t step) {
  const std::int64_t width = kPlaceBlock / step + 1;
  std::vector<PixelPosition> nodes;
  nodes.reserve(static_cast<std::size_t>(width * width));
  for (std::int64_t v = 0; v < width; ++v)
    for (std::int64_t u = 0; u < width; ++u)
      nodes.push_back({static_cast<double>(x + u * step), static_cast<double>(y + v * step)});
  map(nodes);
  return nodes;
}

struct MadeBlock {
  std::int32_t step = 0;
  std::vector<PixelPosition> nodes;
};

/// A block whose coarse nodes begin at (v, u) of the lattice, a ring of nodes about it; (y, x): its first pixel.
MadeBlock make_block(const PlaceMap& map, const Lattice& coarse, std::int64_t v, std::int64_t u, std::int64_t y,
                     std::int64_t x) {
  int with_place = 0;
  for (std::int64_t j = v - 1; j <= v + 3; ++j)
    for (std::int64_t i = u - 1; i <= u + 3; ++i) with_place += known(coarse.at(j, i)) ? 1 : 0;
  if (with_place == 0) return {};
  // The edge of the sky is near: it may enter the block between nodes.
  if (with_place < 25) return {1, nodes_of(map, y, x, 1)};
  MadeBlock made{static_cast<std::int32_t>(kCoarse), {}};
  for (std::int64_t j = v; j <= v + 2; ++j)
    for (std::int64_t i = u; i <= u + 2; ++i) made.nodes.push_back(coarse.at(j, i));
  double error = error_at_twice(coarse, v, u, 2);
  std::int64_t step = kCoarse;
  while (!(error <= kAtTwice) && step > 1) {
    // The error goes with the square of the step; a cut, across which places jump, ends at every pixel.
    do {
      step /= 2;
      error /= 4;
    } while (error > kAtTwice && step > 1);
    made = {static_cast<std::int32_t>(step), nodes_of(map, y, x, step)};
    const std::int64_t n = kPlaceBlock / step;
    error = error_at_twice({n + 1, made.nodes.data()}, 0, 0, n);
  }
  return made;
}

/// Pixels that lead once around the sky, the same at every latitude; 0 where the projection is not cylindrical.
PixelPosition once_around(const Wcs& wcs) {
  // WCSLIB's pixels jump at one meridian, which is not near both of these.
  for (const double lon : {10.3, 130.7}) {
    const auto step = [&](double degrees, double lat) -> PixelPosition {
      const auto from = wcs.to_pixel({lon, lat}), to = wcs.to_pixel({lon + degrees, lat});
      if (!from || !to) return {kNan, kNan};
      return {(to->x - from->x) / degrees, (to->y - from->y) / degrees};
    };
    const PixelPosition one = step(1, 0);
    const double most = 1e-9 * std::max(std::abs(one.x), std::abs(one.y));
    bool same = known(one);
    for (const PixelPosition& other : {step(2, 0), step(1, 30), step(-1, -20)})
      same = same && apart(one, other) <= most;
    if (same) return {360 * one.x, 360 * one.y};
  }
  return {0, 0};
}

bool is_nothing(const PixelPosition& step) { return step.x == 0 && step.y == 0; }

bool inside(const PixelPosition& place, Shape shape) {
  return place.x >= -0.5 && place.y >= -0.5 && place.x < static_cast<double>(shape.nx) - 0.5 &&
         place.y < static_cast<double>(shape.ny) - 0.5;
}

}  // namespace

PlaceMap::PlaceMap(const Wcs& from, const Wcs& to, const SkyShift& shift, Shape to_shape, Shape from_shape)
    : from_(from), to_(to), shift_(shift), to_shape_(to_shape), from_shape_(from_shape) {
  for (const Wcs* wcs : {&from_, &to_})
    if (!wcs->celestial())
      throw InputError(fmt::format("sky coordinates are needed, and there are none ({})", wcs->why_not()));
  const auto of = system_of(from_), into = system_of(to_);
  if (of && into) {
    convert_ = SkyConverter(*of, *into);
  } else if (from_.frame_name() != to_.frame_name() || of || into) {
    throw InputError(
        fmt::format("places in '{}' cannot be turned into places in '{}'", from_.frame_name(), to_.frame_name()));
  }
  if (from_shape.count() > 0) from_around_ = once_around(from_);
  if (to_shape.count() > 0) to_around_ = once_around(to_);
}

PixelPosition PlaceMap::operator()(PixelPosition pixel) const {
  auto sky = from_.to_sky(pixel.x, pixel.y);
  for (const double turns : {1.0, -1.0}) {
    if (sky || is_nothing(from_around_)) break;
    const PixelPosition other{pixel.x + turns * from_around_.x, pixel.y + turns * from_around_.y};
    if (!inside(other, from_shape_)) sky = from_.to_sky(other.x, other.y);
  }
  if (!sky) return {kNan, kNan};
  SkyPosition there = convert_(*sky);
  if (shift_.east_arcsec != 0 || shift_.north_arcsec != 0) {
    there.lon_deg -= shift_.east_arcsec / 3600 / std::cos(there.lat_deg * std::numbers::pi / 180);
    there.lat_deg -= shift_.north_arcsec / 3600;
  }
  const PixelPosition place = to_.to_pixel(there).value_or(PixelPosition{kNan, kNan});
  if (is_nothing(to_around_) || !known(place) || inside(place, to_shape_)) return place;
  for (const double turns : {1.0, -1.0}) {
    const PixelPosition other{place.x + turns * to_around_.x, place.y + turns * to_around_.y};
    if (inside(other, to_shape_)) return other;
  }
  return place;
}

void PlaceMap::operator()(std::span<PixelPosition> places) const {
  for (PixelPosition& place : places) place = (*this)(place);
}

PlaceGrid::PlaceGrid(const PlaceMap& map, const Rect& area, int threads) : area_(area) {
  const auto down = [](std::int64_t n) {
    return (n >= 0 ? n / kPlaceBlock : -((-n + kPlaceBlock - 1) / kPlaceBlock)) * kPlaceBlock;
  };
  y0_ = down(area.y0), x0_ = down(area.x0);
  blocks_y_ = (area.y0 + area.ny - y0_ + kPlaceBlock - 1) / kPlaceBlock;
  blocks_x_ = (area.x0 + area.nx - x0_ + kPlaceBlock - 1) / kPlaceBlock;
  const Shape coarse_shape{2 * blocks_y_ + 3, 2 * blocks_x_ + 3};
  std::vector<PixelPosition> coarse(static_cast<std::size_t>(coarse_shape.count()));
  ThreadPool pool(threads);
  const std::vector<PlaceMap> maps(static_cast<std::size_t>(pool.threads()), map);
  pool.for_each_worker(coarse_shape.ny, [&](std::int64_t row, int worker) {
    PixelPosition* const places = coarse.data() + row * coarse_shape.nx;
    for (std::int64_t u = 0; u < coarse_shape.nx; ++u)
      places[u] = {static_cast<double>(x0_ + (u - 1) * kCoarse), static_cast<double>(y0_ + (row - 1) * kCoarse)};
    maps[static_cast<std::size_t>(worker)]({places, static_cast<std::size_t>(coarse_shape.nx)});
  });
  std::vector<MadeBlock> made(static_cast<std::size_t>(blocks_y_ * blocks_x_));
  pool.for_each_worker(blocks_y_ * blocks_x_, [&](std::int64_t k, int worker) {
    const std::int64_t v = k / blocks_x_, u = k % blocks_x_;
    made[static_cast<std::size_t>(k)] =
        make_block(maps[static_cast<std::size_t>(worker)], {coarse_shape.nx, coarse.data()}, 2 * v + 1, 2 * u + 1,
                   y0_ + v * kPlaceBlock, x0_ + u * kPlaceBlock);
  });
  for (const MadeBlock& block : made) {
    const auto step = static_cast<unsigned>(block.step);
    PlaceBlock one{static_cast<std::int64_t>(nodes_.size())};
    if (step > 0) one.shift = std::countr_zero(step), one.part = 1 / static_cast<float>(step);
    blocks_.push_back(one);
    nodes_.insert(nodes_.end(), block.nodes.begin(), block.nodes.end());
  }
}

double PlaceGrid::area_ratio(std::int64_t y, std::int64_t x) const {
  const auto inside = [&](std::int64_t v, std::int64_t u) {
    return v >= area_.y0 && u >= area_.x0 && v < area_.y0 + area_.ny && u < area_.x0 + area_.nx;
  };
  const PixelPosition here = at(y, x);
  // Towards whichever neighbour has a place.
  const auto step = [&](std::int64_t dv, std::int64_t du) -> PixelPosition {
    for (const std::int64_t sign : {1, -1}) {
      if (!inside(y + sign * dv, x + sign * du)) continue;
      const PixelPosition there = at(y + sign * dv, x + sign * du);
      if (known(there))
        return {static_cast<double>(sign) * (there.x - here.x), static_cast<double>(sign) * (there.y - here.y)};
    }
    return {kNan, kNan};
  };
  const PixelPosition along_x = step(0, 1), along_y = step(1, 0);
  return std::abs(along_x.x * along_y.y - along_x.y * along_y.x);
}

Rect PlaceGrid::needs(const Rect& part, Shape input, std::int64_t reach) const {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  double low_x = kFar, low_y = kFar, high_x = -kFar, high_y = -kFar;
  for (std::int64_t v = (part.y0 - y0_) / kPlaceBlock; v * kPlaceBlock + y0_ < part.y0 + part.ny; ++v)
    for (std::int64_t u = (part.x0 - x0_) / kPlaceBlock; u * kPlaceBlock + x0_ < part.x0 + part.nx; ++u) {
      const PlaceBlock& block = blocks_[static_cast<std::size_t>(v * blocks_x_ + u)];
      if (block.shift < 0) continue;
      for (std::int64_t k = 0; k < block.width() * block.width(); ++k) {
        const PixelPosition& node = nodes_[static_cast<std::size_t>(block.first + k)];
        if (!known(node)) continue;
        low_x = std::min(low_x, node.x), high_x = std::max(high_x, node.x);
        low_y = std::min(low_y, node.y), high_y = std::max(high_y, node.y);
      }
    }
  const auto span = [&](double low, double high, std::int64_t n, std::int64_t& from, std::int64_t& count) {
    const auto limit = static_cast<double>(n);
    from = static_cast<std::int64_t>(std::clamp(std::floor(low) - static_cast<double>(reach), 0.0, limit));
    count = static_cast<std::int64_t>(std::clamp(std::ceil(high) + static_cast<double>(reach) + 1, 0.0, limit)) - from;
  };
  Rect rect;
  if (!(low_x <= high_x)) return rect;
  span(low_x, high_x, input.nx, rect.x0, rect.nx);
  span(low_y, high_y, input.ny, rect.y0, rect.ny);
  return rect.nx > 0 && rect.ny > 0 ? rect : Rect{};
}

}  // namespace reber
