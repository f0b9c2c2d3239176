// SPDX-License-Identifier: BSD-3-Clause
// A pair of pixels is looked at once, eight numbers at a time.
#include "core/measure/fitting/pair_sums.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numbers>
#include <vector>

#include "core/base/processor_clones.hpp"

namespace reber {
namespace {

constexpr std::int64_t kLanes = 8;
using EightDoubles [[gnu::vector_size(64)]] = double;

/// What a sum changes by with each pixel, times the pixel's rms, on the rectangle of the pixels and what is within
/// reach to the left, to the right and below; and the pixels that are looked at.
struct PairGrid {
  std::int64_t width = 0;            ///< numbers of a row
  std::int64_t numbers = 1;          ///< of a pixel
  std::vector<double> value;         ///< with zeros for eight numbers behind the end
  std::vector<std::int64_t> looked;  ///< first numbers of the pixels
  double stands_for = 1;             ///< how many pixels each of these stands for
};

/// Half of the table of correlations, since it is symmetric: the centre's half, what is to the right of it, and the
/// rows below.
struct HalfTable {
  std::int64_t reach;
  double centre;
  std::vector<double> right, below;  ///< rows of `side` and, filled with zeros, of whole vectors
  std::int64_t right_side, side;
};

std::int64_t whole_vectors(std::int64_t count) { return (count + kLanes - 1) / kLanes * kLanes; }

HalfTable half_of(const NoiseCorrelation& noise) {
  const std::int64_t reach = noise.reach();
  HalfTable half{reach, 0.5 * noise.at(0, 0), {}, {}, whole_vectors(reach), whole_vectors(2 * reach + 1)};
  half.right.assign(static_cast<std::size_t>(half.right_side), 0.0);
  half.below.assign(static_cast<std::size_t>(reach * half.side), 0.0);
  for (std::int64_t dx = 1; dx <= reach; ++dx) half.right[static_cast<std::size_t>(dx - 1)] = noise.at(0, dx);
  for (std::int64_t dy = 1; dy <= reach; ++dy)
    for (std::int64_t dx = -reach; dx <= reach; ++dx)
      half.below[static_cast<std::size_t>((dy - 1) * half.side + dx + reach)] = noise.at(dy, dx);
  return half;
}

/// set: writes the numbers of pixel i, before they are multiplied by its rms
template <class Set>
PairGrid grid_of(const FitPixels& pixels, std::int64_t numbers, std::int64_t reach, const Set& set) {
  constexpr std::size_t kMostPixels = 500;
  const auto [left, right] = std::ranges::minmax(pixels.x);
  const auto [top, bottom] = std::ranges::minmax(pixels.y);
  const std::size_t count = pixels.x.size(), step = count / kMostPixels + 1;
  PairGrid grid;
  grid.numbers = numbers;
  grid.width = (right - left + 1 + 2 * reach) * numbers;
  grid.stands_for = static_cast<double>(step);
  grid.value.assign(static_cast<std::size_t>((bottom - top + 1 + reach) * grid.width + kLanes), 0.0);
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t at = (pixels.y[i] - top) * grid.width + (pixels.x[i] - left + reach) * numbers;
    double* to = grid.value.data() + at;
    set(i, to);
    for (std::int64_t k = 0; k < numbers; ++k) to[k] *= pixels.rms[i];
    if (i % step == 0) grid.looked.push_back(at);
  }
  return grid;
}

/// The sum over all pairs of one number a pixel.
REBER_AVX512_CLONE double sum_of_pairs(const PairGrid& grid, const HalfTable& half) {
  const auto add = [](EightDoubles& sum, const double* left, const double* right, std::int64_t count) {
    for (std::int64_t k = 0; k < count; k += kLanes) {
      EightDoubles a, b;
      std::memcpy(&a, left + k, sizeof a);
      std::memcpy(&b, right + k, sizeof b);
      sum += a * b;
    }
  };
  double total = 0;
  for (const std::int64_t at : grid.looked) {
    const double* own = grid.value.data() + at;
    // Of every other row each, or a sum would wait for the one before.
    EightDoubles sums[2]{};
    add(sums[0], half.right.data(), own + 1, half.right_side);
    const double *below = half.below.data(), *row = own - half.reach + grid.width;
    for (std::int64_t dy = 1; dy <= half.reach; ++dy, below += half.side, row += grid.width)
      add(sums[dy % 2], below, row, half.side);
    const EightDoubles both = sums[0] + sums[1];
    double others = 0;
    for (int k = 0; k < kLanes; ++k) others += both[k];
    total += *own * (half.centre * *own + others);
  }
  return 2 * grid.stands_for * total;
}

struct PairTable {
  double at[kLanes][kLanes];
};

/// The sums over all pairs of each of eight numbers of one pixel with each of the other's.
REBER_AVX512_CLONE PairTable table_of_pairs(const PairGrid& grid, const HalfTable& half) {
  EightDoubles sums[kLanes]{};
  for (const std::int64_t at : grid.looked) {
    const double* own = grid.value.data() + at;
    EightDoubles others;
    std::memcpy(&others, own, sizeof others);
    others *= half.centre;
    const auto add = [&](const double* correlation, const double* pixels, std::int64_t count) {
      for (std::int64_t k = 0; k < count; ++k) {
        EightDoubles other;
        std::memcpy(&other, pixels + k * kLanes, sizeof other);
        others += correlation[k] * other;
      }
    };
    add(half.right.data(), own + kLanes, half.reach);
    for (std::int64_t dy = 1; dy <= half.reach; ++dy)
      add(half.below.data() + (dy - 1) * half.side, own + dy * grid.width - half.reach * kLanes, 2 * half.reach + 1);
    for (int a = 0; a < kLanes; ++a) sums[a] += own[a] * others;
  }
  PairTable table;
  for (int a = 0; a < kLanes; ++a)
    for (int b = 0; b < kLanes; ++b) table.at[a][b] = grid.stands_for * (sums[a][b] + sums[b][a]);
  return table;
}

}  // namespace

double sum_error(const FitPixels& pixels, const NoiseCorrelation& noise) {
  if (pixels.x.empty()) return 0;
  const PairGrid grid = grid_of(pixels, 1, noise.reach(), [](std::size_t, double* to) { *to = 1; });
  return std::sqrt(std::max(0.0, sum_of_pairs(grid, half_of(noise))));
}

SumErrors sum_errors(const FitPixels& pixels, const IslandSums& sums, const NoiseCorrelation& noise) {
  const double mx = sums.sx / sums.s, my = sums.sy / sums.s, per_flux = 1 / sums.s;
  const double xx = sums.sxx / sums.s - mx * mx, xy = sums.sxy / sums.s - mx * my, yy = sums.syy / sums.s - my * my;
  // What the sum, the centroid and the moments change by with each pixel.
  const PairGrid grid = grid_of(pixels, kLanes, noise.reach(), [&](std::size_t i, double* to) {
    const double dx = pixels.x[i] - sums.first_x - mx, dy = pixels.y[i] - sums.first_y - my;
    const double scale = kFwhm2PerVariance * per_flux;
    to[0] = 1, to[1] = dx * per_flux, to[2] = dy * per_flux;
    to[3] = (dx * dx - xx) * scale, to[4] = (dx * dy - xy) * scale, to[5] = (dy * dy - yy) * scale;
  });
  const PairTable table = table_of_pairs(grid, half_of(noise));
  SumErrors errors;
  errors.s = std::sqrt(std::max(0.0, table.at[0][0]));
  errors.place = {table.at[1][1], table.at[1][2], table.at[2][2]};
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b) errors.shape[a][b] = table.at[a + 3][b + 3];
  errors.moments = true;
  return errors;
}

}  // namespace reber
