// SPDX-License-Identifier: BSD-3-Clause
// Regions of zeros are islands of the plane -abs(pixel), of which label() takes those that are next to zero.
#include "core/measure/background/padding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "core/measure/background/background_pixels.hpp"
#include "core/sky/model/pixel_source.hpp"

namespace reber {
namespace {

constexpr std::int64_t kLeastRegion = 1000, kLeastRun = 16;
/// So many pixels tell whether an image holds noise, if as many as a region has are not blank.
constexpr std::int64_t kSample = std::int64_t{1} << 22;

/// Rows of floats in memory.
class RowsInMemory final : public PixelSource {
 public:
  RowsInMemory(std::vector<float> pixels, Shape shape) : pixels_(std::move(pixels)), shape_(shape) {}
  [[nodiscard]] Shape shape() const override { return shape_; }
  [[nodiscard]] PixelFormat format() const override { return {}; }
  void read_rows(std::int64_t y0, std::int64_t ny, std::byte* out) const override {
    std::memcpy(out, pixels_.data() + y0 * shape_.nx, static_cast<std::size_t>(ny * shape_.nx) * sizeof(float));
  }

 private:
  std::vector<float> pixels_;
  Shape shape_;
};

/// Whether the row holds a run of zeros.
bool has_run(const std::vector<float>& row) {
  std::int64_t run = 0;
  for (const float value : row)
    if (run = value == 0 ? run + 1 : 0; run == kLeastRun) return true;
  return false;
}

/// Whether the first or the last row with a finite pixel does: padding reaches the image's end, or a blank frame.
bool ends_in_zeros(Backend& backend, const Plane& plane, const Job& job) {
  std::vector<float> row(static_cast<std::size_t>(plane.shape().nx));
  const Rect part = BackgroundPixels{backend, plane, job}.part();
  for (const std::int64_t y : {part.y0, part.y0 + part.ny - 1}) {
    backend.render_rows(MapKind::image, plane, nullptr, y, 1, row.data(), job);
    if (has_run(row)) return true;
  }
  return false;
}

/// Connected pixels that are zero.
std::unique_ptr<IslandMap> zeros_of(Backend& backend, const Plane& plane, const Job& job) {
  constexpr float kNextToZero = 1e-30F;
  const std::unique_ptr<Plane> below = backend.derive(MinusMagnitude{plane}, job);
  const DetectOptions options{0.5, 0.5, kLeastRegion, Connectivity::four, false};
  return backend.label(*below, BackgroundModel::constant(plane.shape(), -kNextToZero, kNextToZero), options, job);
}

/// Bands of rows, evenly spaced, where these are enough; null otherwise.
std::unique_ptr<Plane> sample_of(Backend& backend, const Plane& plane, const Job& job) {
  constexpr std::int64_t kBands = 64;
  const auto [ny, nx] = plane.shape();
  const std::int64_t rows = (kSample + nx * kBands - 1) / (nx * kBands), apart = ny / kBands;
  if (rows >= apart) return nullptr;
  std::vector<float> pixels(static_cast<std::size_t>(kBands * rows * nx));
  for (std::int64_t k = 0; k < kBands; ++k)
    backend.render_rows(MapKind::image, plane, nullptr, k * apart + (apart - rows) / 2, rows,
                        pixels.data() + k * rows * nx, job);
  const auto measured = std::ranges::count_if(pixels, [](float pixel) { return std::isfinite(pixel); });
  if (measured < kLeastRegion) return nullptr;
  TilingPlan tiling;
  tiling.band_rows = kBands * rows;
  return backend.load(RowsInMemory(std::move(pixels), {kBands * rows, nx}), tiling, job);
}

/// Whether the pixels scatter to both sides of their middle, as noise does: a model without noise is zero far and wide.
bool holds_noise(Backend& backend, const Plane& whole, const Job& job) {
  constexpr double kBelow = 2.5;  // standard deviations
  const std::unique_ptr<Plane> sample = sample_of(backend, whole, job);
  const Plane& plane = sample ? *sample : whole;
  const ClipStatistics clip = backend.clip(plane, {}, job);
  return clip.median - backend.statistics(plane, StatisticsParts::all, job).min > kBelow * clip.std && clip.std > 0;
}

}  // namespace

bool ends_in_zeros(const PixelSource& source) {
  const auto [ny, nx] = source.shape();
  const PixelFormat format = source.format();
  std::vector<std::byte> raw(static_cast<std::size_t>(nx * bytes_of(format.type)));
  std::vector<float> row(static_cast<std::size_t>(nx));
  for (const std::int64_t y : {std::int64_t{0}, ny - 1}) {
    source.read_rows(y, 1, raw.data());
    decode_floats(raw.data(), nx, format, row.data());
    const bool blank = std::ranges::none_of(row, [](float value) { return std::isfinite(value); });
    if (blank || has_run(row)) return true;
  }
  return false;
}

Unpadded without_padding(Backend& backend, std::shared_ptr<const Plane> plane, int bitpix, const Job& job) {
  if (bitpix >= 0 || plane->shape().count() == 0 || !ends_in_zeros(backend, *plane, job)) return {std::move(plane), {}};
  const auto zeros = zeros_of(backend, *plane, job);
  if (zeros->count() == 0) return {std::move(plane), {}};
  std::shared_ptr<const Plane> measured = backend.derive(WithoutIslands{*plane, *zeros, 0}, job);
  if (!holds_noise(backend, *measured, job)) return {std::move(plane), {}};
  std::int64_t pixels = 0;
  for (const LabelRuns::Run& run : backend.label_runs(*zeros, job).runs) pixels += run.x1 - run.x0;
  std::string words = fmt::format("{} pixels of {} count as blank: {} of at least {} pixels that are exactly 0", pixels,
                                  plane->shape().count(), zeros->count() == 1 ? "a region" : "regions", kLeastRegion);
  return {std::move(measured), std::move(words)};
}

}  // namespace reber
