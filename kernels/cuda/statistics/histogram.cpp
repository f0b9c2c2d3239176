// SPDX-License-Identifier: BSD-3-Clause
// The plane's histograms for the clip solver: which bins are hot, and the walk over the bands.
#include "kernels/cuda/statistics/histogram.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace reber::cuda {
namespace {

constexpr int kSamples = 4096;
constexpr std::uint32_t kOctave = 128;  // bins of magnitude

/// Calls body(window, y0, ny, skip) for each band of the rectangle's rows on the context's stream. The window's first
/// `skip` columns lie left of the rectangle.
template <class Body>
void walk(const CudaPlane& plane, const Rect& part, const Job& job, Body body) {
  constexpr std::int64_t kAligned = 4;  // rows are read four pixels at a time
  Context& context = *plane.context();
  std::vector<std::int64_t> edges = band_edges(plane);
  for (std::int64_t& edge : edges) edge = std::clamp(edge, part.y0, part.y0 + part.ny);
  edges.erase(std::ranges::unique(edges).begin(), edges.end());
  const std::int64_t x0 = part.x0 / kAligned * kAligned;
  for_each_band(context, edges, 1, job, nullptr, [&](const Band& band) {
    HeldRows rows = hold_rows(plane, band.y0, band.ny, band.stream);
    rows.window.pixels += x0;
    rows.window.nx = part.x0 + part.nx - x0;
    body(rows.window, band.y0, band.ny, static_cast<int>(part.x0 - x0));
  });
}

/// From a few rows of a plane that must be made.
void sample_rows(const CudaPlane& plane, std::vector<float>& samples) {
  constexpr std::int64_t kRows = 8;
  Context& context = *plane.context();
  const Shape shape = plane.shape();
  const std::int64_t rows = std::min(kRows, shape.ny);
  const auto each = static_cast<std::int64_t>(samples.size()) / rows;
  std::vector<float> row(static_cast<std::size_t>(shape.nx));
  for (std::int64_t k = 0; k < rows; ++k) {
    const std::int64_t y = (2 * k + 1) * shape.ny / (2 * rows);
    const HeldRows held = hold_rows(plane, y, 1, context.stream());
    context.down(row.data(), held.window.pixels, shape.nx * static_cast<std::int64_t>(sizeof(float)), context.stream());
    for (std::int64_t i = 0; i < each; ++i) samples[k * each + i] = row[i * shape.nx / each];
  }
}

void clear(DeviceBuffer<unsigned long long>& buffer, cudaStream_t stream) {
  check(cudaMemsetAsync(buffer.data(), 0, static_cast<std::size_t>(buffer.bytes()), stream), "cudaMemsetAsync");
}

}  // namespace

HotBins PlaneHistogram::choose_hot_bins() const {
  Context& context = *plane_.context();
  const Shape shape = plane_.shape();
  std::vector<float> samples(kSamples);
  if (plane_.resident()) {
    const DeviceBuffer<float> drawn(kSamples, context.stream());
    sample_pixels(context.stream(), plane_.window(), drawn.data(), kSamples);
    context.down(samples.data(), drawn.data(), drawn.bytes(), context.stream());
  } else if (plane_.maker()) {
    sample_rows(plane_, samples);
  } else {
    for (int i = 0; i < kSamples; ++i) {
      const std::int64_t at = shape.count() / kSamples * i + shape.count() % kSamples * i / kSamples;
      samples[i] = plane_.host_row(at / shape.nx)[at % shape.nx];
    }
  }
  std::vector<std::uint32_t> magnitudes;
  for (const float sample : samples) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &sample, sizeof(bits));
    const std::uint32_t magnitude = (bits & 0x7fffffffu) >> 16;
    if (std::isfinite(sample) && magnitude != 0) magnitudes.push_back(magnitude);
  }
  if (magnitudes.empty()) return {1};
  const auto middle = magnitudes.begin() + static_cast<std::ptrdiff_t>(magnitudes.size() / 2);
  std::nth_element(magnitudes.begin(), middle, magnitudes.end());
  // Of 13 octaves, 9.5 below the median magnitude and 3.5 above.
  const std::uint32_t below = 9 * kOctave + kOctave / 2;
  return {*middle > below + 1 ? *middle - below : 1};
}

MomentHistogram PlaneHistogram::moments() {
  const Range range("moments");
  MomentHistogram histogram;
  if (part_.shape().count() == 0) return histogram;
  Context& context = *plane_.context();
  const HotBins hot = choose_hot_bins();
  DeviceBuffer<unsigned long long> sums(3 * std::int64_t{rules::kBins}, context.stream());
  clear(sums, context.stream());
  walk(plane_, part_, job_, [&](const RowWindow& window, std::int64_t y0, std::int64_t ny, int skip) {
    add_moments(context.stream(), context.device().multiprocessors, window, y0, ny, skip, hot, sums.data());
  });
  const std::int64_t bytes = sums.bytes() / 3;
  context.down(histogram.count.data(), sums.data(), bytes, context.stream());
  context.down(histogram.sum.data(), sums.data() + rules::kBins, bytes, context.stream());
  context.down(histogram.sum_squares.data(), sums.data() + 2 * rules::kBins, bytes, context.stream());
  return histogram;
}

std::vector<std::vector<std::uint64_t>> PlaneHistogram::values(std::span<const std::uint32_t> bins) {
  const Range range("values of bins");
  constexpr std::int64_t kValues = 65536;
  std::vector<std::vector<std::uint64_t>> result(bins.size(), std::vector<std::uint64_t>(kValues));
  if (part_.shape().count() == 0 || bins.empty()) return result;
  Context& context = *plane_.context();
  std::vector<std::uint32_t> wanted(rules::kBins / 32, 0);
  std::vector<std::uint16_t> slots(rules::kBins, 0);
  for (std::size_t i = 0; i < bins.size(); ++i) {
    wanted[bins[i] / 32] |= 1u << (bins[i] % 32);
    slots[bins[i]] = static_cast<std::uint16_t>(i);
  }
  const DeviceBuffer<std::uint32_t> device_wanted = upload_vector(context, wanted, context.stream());
  const DeviceBuffer<std::uint16_t> device_slots = upload_vector(context, slots, context.stream());
  DeviceBuffer<unsigned long long> counts(static_cast<std::int64_t>(bins.size()) * kValues, context.stream());
  clear(counts, context.stream());
  walk(plane_, part_, job_, [&](const RowWindow& window, std::int64_t y0, std::int64_t ny, int skip) {
    add_values(context.stream(), context.device().multiprocessors, window, y0, ny, skip, device_wanted.data(),
               device_slots.data(), counts.data());
  });
  for (std::size_t i = 0; i < bins.size(); ++i) {
    // A bin asked for twice was counted in its last slot.
    const std::int64_t slot = slots[bins[i]];
    context.down(result[i].data(), counts.data() + slot * kValues, kValues * 8, context.stream());
  }
  return result;
}

}  // namespace reber::cuda
