// SPDX-License-Identifier: BSD-3-Clause
// Histograms are indexed by the upper half of a float as it is stored, and put in the order of the keys at the end: the
// loop over pixels then has neither a branch on the sign nor one on blanks.
#include "kernels/cpu/histogram.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>
#include <new>

#include "kernels/cpu/row_maker.hpp"
#include "kernels/cpu/simd.hpp"

namespace reber::cpu {
namespace {

constexpr std::int64_t kChunk = 1 << 18;  ///< pixels per task
constexpr std::uint32_t kHalves = 1u << 16;
constexpr int kCountShift = 40;

/// Moments of one bin in 16 bytes, so that the 5000 bins in use stay in the caches: the count above kCountShift, the
/// sum of lower halves below it. Good for kMostPacked pixels, of which the count fills its 24 bits, the sum less than
/// 40 and the squares less than 56.
struct Packed {
  std::uint64_t count_and_sum = 0, squares = 0;
};
constexpr std::int64_t kMostPacked = (1LL << (64 - kCountShift)) - 1;

struct Worker {
  std::vector<Packed> bins;
  std::int64_t pixels = 0;  ///< since the last flush
};

/// One worker's count of each value of the bins that are asked for, good for kMostCounted pixels. calloc: pages of bins
/// that meet no pixel are never touched.
struct ValueTable {
  std::unique_ptr<std::uint32_t, decltype(&std::free)> counts{nullptr, &std::free};
  std::int64_t pixels = 0;  ///< since the last flush
};
constexpr std::int64_t kMostCounted = std::numeric_limits<std::uint32_t>::max();

bool holds_finite(std::uint32_t half) { return (half & 0x7f80u) != 0x7f80u; }
bool negative(std::uint32_t half) { return (half & 0x8000u) != 0; }
std::uint32_t bin_of_half(std::uint32_t half) { return negative(half) ? ~half & 0xffffu : half | 0x8000u; }

/// Adds a worker's bins and clears them. The lower half of a negative float's key is the complement of its own.
void flush(Worker& worker, MomentHistogram& total) {
  constexpr std::uint64_t kTop = kHalves - 1;
  for (std::uint32_t half = 0; half < kHalves; ++half) {
    Packed& packed = worker.bins[half];
    if (packed.count_and_sum == 0) continue;
    if (holds_finite(half)) {
      const std::uint64_t n = packed.count_and_sum >> kCountShift;
      const std::uint64_t sum = packed.count_and_sum & ((1ULL << kCountShift) - 1);
      const std::uint32_t bin = bin_of_half(half);
      total.count[bin] += n;
      total.sum[bin] += negative(half) ? n * kTop - sum : sum;
      total.sum_squares[bin] += negative(half) ? n * kTop * kTop - 2 * kTop * sum + packed.squares : packed.squares;
    }
    packed = {};
  }
  worker.pixels = 0;
}

/// Adds a worker's counts and gives its memory back.
void flush(ValueTable& table, std::vector<std::vector<std::uint64_t>>& total) {
  if (table.counts)
    for (std::size_t k = 0; k < total.size(); ++k)
      for (std::uint32_t low = 0; low < kHalves; ++low) total[k][low] += table.counts.get()[k * kHalves + low];
  table.counts.reset();
  table.pixels = 0;
}

/// Calls body(pixels, n, worker) for chunks of a plane, side by side.
template <class Body>
void for_each_chunk(const CpuPlane& plane, const JobThreads& threads, const Body& body) {
  const Shape shape = plane.shape();
  for_each_band(plane, 0, shape.ny, 1, threads, [&](const HeldRows& rows, std::int64_t y0, std::int64_t y1) {
    const std::int64_t count = (y1 - y0) * shape.nx;
    threads.for_each_worker((count + kChunk - 1) / kChunk, [&](std::int64_t chunk, int worker) {
      body(rows.row(y0) + chunk * kChunk, std::min(kChunk, count - chunk * kChunk), worker);
    });
  });
}

/// A NaN is not above any number.
float largest_of(const float* pixels, std::int64_t n) {
  Floats high{}, low{};
  std::int64_t k = 0;
  for (; k + kLanes <= n; k += kLanes) {
    const Floats value = load(pixels + k);
    high = where(value > high, value, high);
    low = where(value < low, value, low);
  }
  float largest = 0;
  for (int lane = 0; lane < kLanes; ++lane) largest = std::max({largest, high[lane], -low[lane]});
  for (; k < n; ++k)
    if (std::abs(pixels[k]) > largest) largest = std::abs(pixels[k]);
  return largest;
}

}  // namespace

float largest_of(const CpuPlane& plane, const JobThreads& threads) {
  std::vector<float> found(static_cast<std::size_t>(threads.threads()), 0.0f);
  for_each_chunk(plane, threads, [&](const float* pixels, std::int64_t n, int worker) {
    float& own = found[static_cast<std::size_t>(worker)];
    own = std::max(own, largest_of(pixels, n));
  });
  return std::ranges::max(found);
}

MomentHistogram PlaneHistogram::moments() {
  MomentHistogram total;
  std::mutex mutex;
  std::vector<Worker> workers(static_cast<std::size_t>(threads_.threads()));
  for_each_chunk(plane_, threads_, [&](const float* pixels, std::int64_t n, int number) {
    Worker& worker = workers[static_cast<std::size_t>(number)];
    if (worker.bins.empty()) worker.bins.resize(kHalves);
    if (worker.pixels + n > kMostPacked) {
      const std::lock_guard lock(mutex);
      flush(worker, total);
    }
    Packed* bins = worker.bins.data();
    for (std::int64_t k = 0; k < n; ++k) {
      std::uint32_t bits;
      std::memcpy(&bits, pixels + k, sizeof(bits));
      const std::uint64_t low = bits & 0xffffu;
      Packed& bin = bins[bits >> 16];
      bin.count_and_sum += (1ULL << kCountShift) + low;
      bin.squares += low * low;
    }
    worker.pixels += n;
  });
  for (Worker& worker : workers)
    if (worker.pixels > 0) flush(worker, total);
  return total;
}

std::vector<std::vector<std::uint64_t>> PlaneHistogram::values(std::span<const std::uint32_t> bins) {
  if (bins.size() > 255) throw InternalError("cpu backend: the values of more than 255 bins at once");
  // slot_of[half]: 0 for halves that nobody asked for, else 1 + their place in `bins`.
  std::vector<std::uint8_t> slot_of(kHalves, 0);
  std::vector<std::uint32_t> complement(bins.size());
  for (std::size_t k = 0; k < bins.size(); ++k) {
    const std::uint32_t half = (bins[k] & 0x8000u) != 0 ? bins[k] & 0x7fffu : ~bins[k] & 0xffffu;
    slot_of[half] = static_cast<std::uint8_t>(k + 1);
    complement[k] = negative(half) ? 0xffffu : 0;
  }
  std::vector<std::vector<std::uint64_t>> counts(bins.size(), std::vector<std::uint64_t>(kHalves));
  std::mutex mutex;
  std::vector<ValueTable> tables(static_cast<std::size_t>(threads_.threads()));
  for_each_chunk(plane_, threads_, [&](const float* pixels, std::int64_t n, int number) {
    ValueTable& table = tables[static_cast<std::size_t>(number)];
    if (table.pixels + n > kMostCounted) {
      const std::lock_guard lock(mutex);
      flush(table, counts);
    }
    if (!table.counts)
      table.counts.reset(static_cast<std::uint32_t*>(std::calloc(bins.size() * kHalves, sizeof(std::uint32_t))));
    if (!table.counts) throw std::bad_alloc();
    const std::uint8_t* slots = slot_of.data();
    for (std::int64_t k = 0; k < n; ++k) {
      std::uint32_t bits;
      std::memcpy(&bits, pixels + k, sizeof(bits));
      const std::uint32_t slot = slots[bits >> 16];
      if (slot != 0) ++table.counts.get()[(slot - 1) * kHalves + ((bits & 0xffffu) ^ complement[slot - 1])];
    }
    table.pixels += n;
  });
  for (ValueTable& table : tables) flush(table, counts);
  return counts;
}

}  // namespace reber::cpu
