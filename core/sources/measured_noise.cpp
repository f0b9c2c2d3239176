// SPDX-License-Identifier: BSD-3-Clause
// Mean products of pixels at each offset, patch by patch.
#include "core/sources/measured_noise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace reber {
namespace {

constexpr std::int64_t kPatch = 128, kPatchesPerAxis = 8;
constexpr std::int64_t kFewestPixels = 1000;

/// Sums of one patch, one pair of entries an offset.
struct PatchSums {
  std::vector<double> product, count;
};

/// Sum of products in float: a row of a patch is short, and lanes side by side are what vector units do.
float dot(const float* a, const float* b, std::int64_t count) {
  constexpr std::int64_t kLanes = 16;
  float sum[kLanes] = {};
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (std::int64_t lane = 0; lane < kLanes; ++lane) sum[lane] += a[i + lane] * b[i + lane];
  for (; i < count; ++i) sum[i % kLanes] += a[i] * b[i];
  for (std::int64_t half = kLanes / 2; half > 0; half /= 2)
    for (std::int64_t lane = 0; lane < half; ++lane) sum[lane] += sum[lane + half];
  return sum[0];
}

/// Pairs whose first pixel, and second as well, lies in the patch.
PatchSums correlate(std::vector<float> value, std::int64_t width, std::int64_t height, std::int64_t reach) {
  const std::int64_t side = 2 * reach + 1;
  // Blank pixels count as 0 with weight 0, so that no test stands in the inner loop.
  std::vector<float> known(value.size());
  for (std::size_t at = 0; at < value.size(); ++at) {
    known[at] = std::isfinite(value[at]) ? 1.0f : 0.0f;
    if (!std::isfinite(value[at])) value[at] = 0;
  }
  PatchSums sums{std::vector<double>(static_cast<std::size_t>((reach + 1) * side)), {}};
  sums.count = sums.product;
  for (std::int64_t dy = 0; dy <= reach; ++dy)
    for (std::int64_t dx = -reach; dx <= reach; ++dx) {
      const auto slot = static_cast<std::size_t>(dy * side + dx + reach);
      const std::int64_t from = std::max<std::int64_t>(0, -dx), to = std::min(width, width - dx);
      for (std::int64_t y = 0; y + dy < height; ++y) {
        const std::int64_t first = y * width + from, second = (y + dy) * width + dx + from;
        sums.product[slot] += dot(value.data() + first, value.data() + second, to - from);
        sums.count[slot] += dot(known.data() + first, known.data() + second, to - from);
      }
    }
  return sums;
}

}  // namespace

MeasuredCorrelation measure_noise_correlation(Shape shape, const NoisePatch& patch, std::int64_t reach,
                                              ThreadPool& pool, const Progress& progress) {
  const auto patches_of = [](std::int64_t length) {
    return std::clamp<std::int64_t>(length / kPatch, 1, kPatchesPerAxis);
  };
  const std::int64_t across = patches_of(shape.nx), down = patches_of(shape.ny);
  const std::int64_t width = std::min(kPatch, shape.nx), height = std::min(kPatch, shape.ny);
  reach = std::min({reach, width - 1, height - 1});
  const auto slots = static_cast<std::size_t>((reach + 1) * (2 * reach + 1));
  std::vector<double> product(slots), count(slots);
  const auto start_of = [](std::int64_t i, std::int64_t n, std::int64_t length, std::int64_t side) {
    return (2 * i + 1) * length / (2 * n) - side / 2;
  };
  std::vector<std::vector<float>> patches;
  for (std::int64_t j = 0; j < down; ++j)
    for (std::int64_t i = 0; i < across; ++i) {
      progress.check();
      const std::int64_t y0 = std::clamp<std::int64_t>(start_of(j, down, shape.ny, height), 0, shape.ny - height);
      const std::int64_t x0 = std::clamp<std::int64_t>(start_of(i, across, shape.nx, width), 0, shape.nx - width);
      patch({y0, x0, height, width}, patches.emplace_back(static_cast<std::size_t>(width * height)).data());
    }
  std::vector<PatchSums> sums(patches.size());
  pool.for_each(static_cast<std::int64_t>(patches.size()), [&](std::int64_t i) {
    progress.check();
    sums[static_cast<std::size_t>(i)] =
        correlate(std::move(patches[static_cast<std::size_t>(i)]), width, height, reach);
  });
  for (const PatchSums& one : sums)
    for (std::size_t k = 0; k < slots; ++k) product[k] += one.product[k], count[k] += one.count[k];
  MeasuredCorrelation measured;
  const auto zero = static_cast<std::size_t>(reach);
  if (!(count[zero] >= static_cast<double>(kFewestPixels)) || !(product[zero] > 0)) return measured;
  const double variance = product[zero] / count[zero];
  std::vector<double> values(slots);
  for (std::size_t k = 0; k < slots; ++k) values[k] = count[k] > 0 ? product[k] / count[k] / variance : 0;
  measured.pixels = static_cast<std::int64_t>(count[zero]);
  measured.correlation = NoiseCorrelation::of_table(reach, std::move(values));
  return measured;
}

void blank_sources(std::vector<float>& snr, const std::vector<std::int32_t>& labels, std::int64_t nx, float limit,
                   std::int64_t grow) {
  const std::int64_t ny = static_cast<std::int64_t>(snr.size()) / nx;
  std::vector<std::uint8_t> wide(snr.size());
  for (std::int64_t y = 0; y < ny; ++y)
    for (std::int64_t x = 0; x < nx; ++x) {
      const auto at = static_cast<std::size_t>(y * nx + x);
      if (labels[at] == 0 && !(std::abs(snr[at]) > limit)) continue;
      const auto row = wide.begin() + static_cast<std::ptrdiff_t>(y * nx);
      std::fill(row + std::max<std::int64_t>(0, x - grow), row + std::min(nx, x + grow + 1), std::uint8_t{1});
    }
  for (std::int64_t y = 0; y < ny; ++y)
    for (std::int64_t x = 0; x < nx; ++x) {
      if (wide[static_cast<std::size_t>(y * nx + x)] == 0) continue;
      for (std::int64_t v = std::max<std::int64_t>(0, y - grow); v < std::min(ny, y + grow + 1); ++v)
        snr[static_cast<std::size_t>(v * nx + x)] = std::numeric_limits<float>::quiet_NaN();
    }
}

}  // namespace reber
