// SPDX-License-Identifier: BSD-3-Clause
// Largest value, mean and scatter of a tile, and the two passes that change it.
#include "kernels/cpu/convolve/fft_levels.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/cpu/simd.hpp"
#include "kernels/shared/fft_range.hpp"

namespace reber::cpu {
namespace {

/// Largest absolute value of what the tile reads.
float largest_of(const TilePixels& tile) {
  Floats high{}, low{};
  float rest = 0;
  for (std::int64_t y = 0; y < tile.read.ny; ++y) {
    const float* in = tile.first + y * tile.stride;
    std::int64_t x = 0;
    for (; x + kLanes <= tile.read.nx; x += kLanes) {
      const Floats value = load(in + x);
      high = where(value > high, value, high);
      low = where(value < low, value, low);
    }
    for (; x < tile.read.nx; ++x) rest = std::max(rest, std::abs(in[x]));
  }
  for (int lane = 0; lane < kLanes; ++lane) rest = std::max({rest, high[lane], -low[lane]});
  return rest;
}

/// The mean of every eighth row of what the tile reads, or 0 where it is below twice the scatter about it: taking it
/// out would then not halve what the transform rounds.
float offset_of(const TilePixels& tile) {
  constexpr std::int64_t kEvery = 8;
  double sum = 0, squares = 0, count = 0;
  for (std::int64_t y = tile.read.ny / 2 % kEvery; y < tile.read.ny; y += kEvery) {
    const float* in = tile.first + y * tile.stride;
    Floats lanes{}, lanes2{};
    std::int64_t x = 0;
    for (; x + kLanes <= tile.read.nx; x += kLanes) {
      const Floats value = load(in + x);
      lanes += value;
      lanes2 = fma(value, value, lanes2);
    }
    for (int lane = 0; lane < kLanes; ++lane) {
      sum += lanes[lane];
      squares += lanes2[lane];
    }
    for (; x < tile.read.nx; ++x) {
      sum += in[x];
      squares += static_cast<double>(in[x]) * in[x];
    }
    count += static_cast<double>(tile.read.nx);
  }
  const double mean = sum / count, variance = squares / count - mean * mean;
  return std::isfinite(mean) && mean * mean > 4 * variance ? static_cast<float>(mean) : 0.0f;
}

void add(float value, const TilePixels& tile, Shape part) {
  for (std::int64_t y = 0; y < part.ny; ++y)
    for (std::int64_t x = 0; x < part.nx; ++x) tile.first[y * tile.stride + x] += value;
}

void multiply_by(float factor, const TilePixels& tile, Shape part) {
  for (std::int64_t y = 0; y < part.ny; ++y)
    for (std::int64_t x = 0; x < part.nx; ++x) tile.first[y * tile.stride + x] *= factor;
}

}  // namespace

FftLevels FftLevels::take_out(const TilePixels& tile, const KernelSums& kernel) {
  // Squares of pixels, of which offset_of() makes sums, are to stay floats as well.
  constexpr int kOrdinary = 50;
  FftLevels levels;
  levels.scale_ = rules::fft_scale(largest_of(tile), kernel.absolute, kOrdinary);
  if (levels.scale_ != 1.0f) multiply_by(levels.scale_, tile, tile.read);
  const float offset = offset_of(tile);
  if (offset != 0.0f) add(-offset, tile, tile.read);
  levels.back_ = offset * kernel.sum;
  return levels;
}

void FftLevels::put_back(const TilePixels& tile) const {
  if (back_ != 0.0f) add(back_, tile, tile.out);
  if (scale_ != 1.0f) multiply_by(1 / scale_, tile, tile.out);
}

}  // namespace reber::cpu
