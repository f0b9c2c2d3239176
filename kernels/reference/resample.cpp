// SPDX-License-Identifier: BSD-3-Clause
// One pixel after another: its place, the weights there, the sum.
#include "kernels/reference/resample.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "kernels/reference/rules.hpp"

namespace reber::reference {
namespace {

constexpr int kTaps = ResampleTable::kTaps;

/// A place nearer than this to the centre of a pixel is at it.
constexpr double kSame = 1e-6;

/// Bilinear between the nodes of the block that holds the pixel.
PixelPosition place(const PlaceGrid& places, std::int64_t y, std::int64_t x) {
  const PlaceView view = places.view();
  const std::int64_t block_y = (y - view.y0) / kPlaceBlock, block_x = (x - view.x0) / kPlaceBlock;
  const PlaceBlock& block = places.blocks()[static_cast<std::size_t>(block_y * view.blocks_x + block_x)];
  if (block.shift < 0) return {kBlank, kBlank};
  const double step = std::ldexp(1.0, block.shift);
  const double v = static_cast<double>(y - view.y0 - block_y * kPlaceBlock) / step;
  const double u = static_cast<double>(x - view.x0 - block_x * kPlaceBlock) / step;
  const auto j = static_cast<std::int64_t>(v), i = static_cast<std::int64_t>(u);
  const double down = v - static_cast<double>(j), right = u - static_cast<double>(i);
  const auto node = [&](std::int64_t row, std::int64_t column) {
    return places.nodes()[static_cast<std::size_t>(block.first + row * block.width() + column)];
  };
  PixelPosition at{0, 0};
  for (const int lower : {0, 1})
    for (const int further : {0, 1}) {
      const double share = (lower == 1 ? down : 1 - down) * (further == 1 ? right : 1 - right);
      if (share == 0) continue;
      at.x += share * node(j + lower, i + further).x;
      at.y += share * node(j + lower, i + further).y;
    }
  return at;
}

/// Eight weights along an axis, the first of the pixel `first`.
struct Axis {
  std::int64_t first = 0;
  std::array<double, kTaps> weights{};
};

Axis axis_at(const std::vector<float>& table, int width, double at) {
  double cell = std::floor(at), beyond = at - cell;
  if (beyond < kSame || beyond > 1 - kSame) cell = std::round(at), beyond = 0;
  const double phase = beyond * ResampleTable::kPhases, part = phase - std::floor(phase);
  Axis axis{static_cast<std::int64_t>(cell) - 3};
  const auto entry = (static_cast<std::size_t>(width) * ResampleTable::kPhases + static_cast<std::size_t>(phase)) *
                     ResampleTable::kEntry;
  for (std::size_t k = 0; k < kTaps; ++k)
    axis.weights[k] = static_cast<double>(table[entry + k]) + part * static_cast<double>(table[entry + kTaps + k]);
  return axis;
}

/// Nothing where a pixel with a weight is blank or outside.
std::optional<double> weighted(const HostPlane& plane, const Axis& y, const Axis& x) {
  const Shape shape = plane.shape();
  double sum = 0;
  for (int j = 0; j < kTaps; ++j)
    for (int i = 0; i < kTaps; ++i) {
      const double weight = y.weights[static_cast<std::size_t>(j)] * x.weights[static_cast<std::size_t>(i)];
      if (weight == 0) continue;
      const std::int64_t row = y.first + j, column = x.first + i;
      if (row < 0 || column < 0 || row >= shape.ny || column >= shape.nx) return std::nullopt;
      if (!std::isfinite(plane.at(row, column))) return std::nullopt;
      sum += weight * plane.at(row, column);
    }
  return sum;
}

double value_at(const HostPlane& plane, const ResampleTable& table, const PixelPosition& at) {
  const Shape shape = plane.shape();
  const auto last_x = static_cast<double>(shape.nx - 1), last_y = static_cast<double>(shape.ny - 1);
  // Pixels reach half a pixel beyond their centres; there the outermost centre counts.
  const double reach = 0.5 + kSame;
  if (!(at.x >= -reach && at.y >= -reach && at.x <= last_x + reach && at.y <= last_y + reach)) return kBlank;
  const double x = std::clamp(at.x, 0.0, last_x), y = std::clamp(at.y, 0.0, last_y);
  if (table.how == Interpolation::nearest) {
    const auto row = static_cast<std::int64_t>(std::floor(y + 0.5));
    const auto column = static_cast<std::int64_t>(std::floor(x + 0.5));
    if (row < 0 || column < 0 || row >= shape.ny || column >= shape.nx) return kBlank;
    return std::isfinite(plane.at(row, column)) ? plane.at(row, column) : kBlank;
  }
  // From the widest sum to that of the two by two pixels about the place, until no pixel in it is blank.
  for (int width = table.widest(); width < ResampleTable::kWidths; ++width)
    if (const auto sum = weighted(plane, axis_at(table.y, width, y), axis_at(table.x, width, x))) return *sum;
  return kBlank;
}

}  // namespace

std::unique_ptr<HostPlane> resample(const HostPlane& plane, const PlaceGrid& places, const ResampleTable& table,
                                    const Job& job) {
  const Rect area = places.area();
  std::vector<double> values;
  for (std::int64_t y = area.y0; y < area.y0 + area.ny; ++y) {
    job.check();
    for (std::int64_t x = area.x0; x < area.x0 + area.nx; ++x)
      values.push_back(value_at(plane, table, place(places, y, x)));
  }
  return std::make_unique<HostPlane>(area.shape(), std::move(values), 0);
}

}  // namespace reber::reference
