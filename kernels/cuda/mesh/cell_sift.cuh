// SPDX-License-Identifier: BSD-3-Clause
// Device code for one block and one cell of a mesh: its pixels brought to shared memory, counted by their size, divided
// into sure ones, the middle and the tails. For mesh_sift.cu.
#pragma once

#include "kernels/cuda/device/async_copy.cuh"
#include "kernels/cuda/device/lossless_sums.cuh"
#include "kernels/cuda/device/views.hpp"
#include "kernels/cuda/mesh/mesh.hpp"
#include "kernels/shared/cell_clip.hpp"
#include "kernels/shared/float_keys.hpp"

namespace reber::cuda::cell {

inline constexpr unsigned kAll = 0xffffffffu;
inline constexpr std::uint32_t kBlankKey = 0xffffffffu;
/// Buckets of a cell, and how many of them a thread turns from counts into ranks.
inline constexpr int kShare = 4;
template <int Threads>
inline constexpr int kBuckets = kShare* Threads;
/// What they span, in standard deviations as a sample of 32 pixels has them.
inline constexpr float kSpan = 7;
inline constexpr float kWhole = 0x1p23f;  ///< added to a float below it, leaves a whole number in the lower bits
inline constexpr float kSigma = 0.7413f;  ///< of the distance of the quartiles of noise
inline constexpr int kLeastSpread = 4;    ///< buckets between the quartiles
inline constexpr int kMostExponent = 100;
// Distances from the pivot are below 2^exponent, and whole numbers of 2^(exponent - kBits). Of kMostPixels of them a
// thread sums the distances and, as a head above 2^(2 exponent + kHeadBits) and a rest, their squares without rounding.
inline constexpr int kBits = 46, kHeadBits = 7, kMostPixels = 1 << kHeadBits;
inline constexpr int kGroups = 8;  ///< of four pixels, that a thread takes before it lists what it found
static_assert(4 * kGroups <= 32);

__device__ inline float value_of_key(std::uint32_t key) { return __uint_as_float(rules::bits_of_key(key)); }

/// What the host knows of all cells.
struct CellRule {
  int room;     ///< floats of a cell and what lies beside it in its groups of four
  int list;     ///< room for pixels of the middle and the tails
  float reach;  ///< half width of the sure pixels in distances between the quartiles
  float bound;  ///< distances from the pivot that kept pixels stay below, likewise
};

/// The buckets of a cell: a pixel's is bucket(pixel) - kWhole, which rises with it.
struct Buckets {
  float scale, offset;
  __device__ float operator()(float pixel) const { return fmaf(pixel, scale, offset); }
};

/// A rank and the bucket where it is.
struct Rank {
  int bucket;
  unsigned start, end;  ///< ranks of the bucket's pixels
};

/// What the block's threads all know before the pixels are divided. The list takes those of the lower tail, of the
/// middle, of the upper tail, and sure ones that are too tiny for the unit.
struct Division {
  Buckets buckets;
  int centre, half;                     ///< sure pixels: at most `half` buckets from `centre`
  int middle_low, middle_high;          ///< buckets that could hold a median
  unsigned middle_start, middle_count;  ///< rank of the first pixel of those, and how many there are
  unsigned below, above;                ///< pixels in the tails
  int lowest, highest;                  ///< buckets of the outermost sure pixels
  unsigned finite;
  float pivot;   ///< a whole number of units
  int exponent;  ///< the unit is 2^(exponent - kBits)
};

template <int Threads>
struct CellMemory {
  alignas(16) std::uint32_t starts[kBuckets<Threads> + 4];  ///< first counts; one more for blank pixels
  Buckets buckets;
  Rank ranks[7];  ///< quartiles; first and last that could be a median; first and last sure pixel
  unsigned warps[Threads / 32];
  unsigned tiny;  ///< how many sure pixels are too tiny
  Division division;
  long long sums[3][Threads / 32];
};

/// The pixels of a cell in shared memory: `rows` rows of `groups` groups of four, blank beyond the cell's columns.
struct CellShape {
  std::int64_t y0, x0;
  int rows, groups, ahead, width;  ///< ahead: floats before the cell's first column
};

__device__ inline CellShape shape_of(const PixelSpan& rows, const PixelSpan& cols) {
  const std::int64_t x0 = cols.begin / 4 * 4;
  return {rows.begin,
          x0,
          static_cast<int>(rows.end - rows.begin),
          static_cast<int>((cols.end + 3) / 4 - x0 / 4),
          static_cast<int>(cols.begin - x0),
          static_cast<int>(cols.end - cols.begin)};
}

/// Calls body(group, row, group of the row) for the thread's groups.
template <int Threads, class Body>
__device__ __forceinline__ void for_each_group(const CellShape& shape, Body body) {
  int row = static_cast<int>(threadIdx.x) / shape.groups, column = static_cast<int>(threadIdx.x) % shape.groups;
  const int down = Threads / shape.groups, right = Threads % shape.groups;
  for (int group = threadIdx.x; row < shape.rows; group += Threads) {
    body(group, row, column);
    row += down;
    column += right;
    if (column >= shape.groups) {
      column -= shape.groups;
      ++row;
    }
  }
}

/// Has the cell copied to shared memory, complete after finish_load().
template <int Threads>
__device__ void begin_load(const RowWindow& window, const CellShape& shape, float4* pixels) {
  const float* corner = window.pixels + (shape.y0 - window.first) * window.pitch + shape.x0;
  const int there = static_cast<int>(min(static_cast<long long>(window.nx - shape.x0), 1ll << 30));
  if (Threads % shape.groups == 0 && there >= 4 * shape.groups) {
    // Each thread keeps to its columns.
    int row = static_cast<int>(threadIdx.x) / shape.groups;
    const int down = Threads / shape.groups, column = static_cast<int>(threadIdx.x) - row * shape.groups;
    const float* from = corner + row * window.pitch + 4 * column;
    const std::int64_t step = down * window.pitch;
    float4* to = pixels + threadIdx.x;
#pragma unroll 4
    for (; row < shape.rows; row += down, from += step, to += Threads) copy16(reinterpret_cast<float*>(to), from);
  } else {
    for_each_group<Threads>(shape, [&](int group, int row, int column) {
      copy16(reinterpret_cast<float*>(pixels + group), corner + row * window.pitch + 4 * column,
             min(4, there - 4 * column));
    });
  }
  close_copies();
}

/// For the thread's own pixels.
template <int Threads>
__device__ void finish_load(const CellShape& shape, float4* pixels) {
  wait_copies<0>();
  if (shape.ahead == 0 && shape.width == 4 * shape.groups) return;
  for_each_group<Threads>(shape, [&](int group, int, int column) {
    if (column > 0 && column + 1 < shape.groups) return;
    auto* four = reinterpret_cast<float*>(pixels + group);
    for (int q = 0; q < 4; ++q)
      if (const int x = 4 * column + q - shape.ahead; x < 0 || x >= shape.width) four[q] = rules::blank_value();
  });
}

/// By a warp: buckets about the median of 32 pixels spread over the cell, as wide as their quartiles ask for.
/// scale is 0 where that cannot serve.
template <int Threads>
__device__ Buckets choose_buckets(const RowWindow& window, const PixelSpan& rows, const PixelSpan& cols) {
  const auto lane = static_cast<int>(threadIdx.x & 31), height = static_cast<int>(rows.end - rows.begin),
             breadth = static_cast<int>(cols.end - cols.begin);
  const float pixel = window_pixel(window, rows.begin + (2 * lane + 1) * height / 64,
                                   cols.begin + (2 * (lane * 13 % 32) + 1) * breadth / 64);
  std::uint32_t key = isfinite(pixel) ? rules::key_of(pixel) : kBlankKey;
  for (int size = 2; size <= 32; size *= 2)
    for (int step = size / 2; step > 0; step /= 2) {
      const std::uint32_t other = __shfl_xor_sync(kAll, key, step);
      const bool keep_small = ((lane & step) == 0) == ((lane & size) == 0);
      key = keep_small == (other < key) ? other : key;
    }
  const int finite = __popc(__ballot_sync(kAll, key != kBlankKey));
  const float low = value_of_key(__shfl_sync(kAll, key, finite / 4));
  const float high = value_of_key(__shfl_sync(kAll, key, 3 * finite / 4 & 31));
  const float centre = value_of_key(__shfl_sync(kAll, key, finite / 2 & 31));
  const float width = (high - low) * kSigma;
  if (!(finite >= 8 && width > 1e-30f && width < 1e30f)) return {0, 0};
  const float scale = static_cast<float>(kBuckets<Threads>) / kSpan / width;
  return {scale, kWhole + kBuckets<Threads> / 2 - centre * scale};
}

/// kWhole + the pixel's bucket; outermost ones take what lies beyond them.
template <int Threads>
__device__ __forceinline__ float held_bucket(const Buckets& buckets, float pixel) {
  return fminf(fmaxf(buckets(pixel), kWhole), kWhole + (kBuckets<Threads> - 1));
}

/// Counts a pixel, a blank one behind all buckets. counts: their address in shared memory, less four times the bits of
/// kWhole. Without a branch, so that the pixels that follow need not wait.
template <int Threads>
__device__ __forceinline__ void count_pixel(const Buckets& buckets, float pixel, unsigned counts) {
  const float slot = isfinite(pixel) ? held_bucket<Threads>(buckets, pixel) : kWhole + kBuckets<Threads>;
  asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(counts + 4 * __float_as_uint(slot)) : "memory");
}

template <int Threads>
__device__ __forceinline__ void count_four(const Buckets& buckets, const float4& four, unsigned counts) {
  count_pixel<Threads>(buckets, four.x, counts);
  count_pixel<Threads>(buckets, four.y, counts);
  count_pixel<Threads>(buckets, four.z, counts);
  count_pixel<Threads>(buckets, four.w, counts);
}

template <int Threads>
__device__ __forceinline__ void count_buckets(Buckets buckets, int groups, const float4* pixels,
                                              std::uint32_t* counts) {
  const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(counts)) - 4 * __float_as_uint(kWhole);
  constexpr int kTogether = 4;
  int group = threadIdx.x;
  for (; group + (kTogether - 1) * Threads < groups; group += kTogether * Threads) {
    float4 four[kTogether];
#pragma unroll
    for (int k = 0; k < kTogether; ++k) four[k] = pixels[group + k * Threads];
#pragma unroll
    for (int k = 0; k < kTogether; ++k) count_four<Threads>(buckets, four[k], base);
  }
  for (; group < groups; group += Threads) count_four<Threads>(buckets, pixels[group], base);
}

/// A thread's part of the counts once they are turned into the ranks where the buckets start.
struct Share {
  unsigned before, sum;  ///< pixels in the buckets before, and in the thread's own
  unsigned total;
};

template <int Threads>
__device__ Share scan_buckets(CellMemory<Threads>& memory) {
  static_assert(kShare == 4);
  auto* mine = reinterpret_cast<uint4*>(memory.starts) + threadIdx.x;
  const uint4 counts = *mine;
  const unsigned sum = counts.x + counts.y + counts.z + counts.w;
  unsigned before = sum;
  for (int step = 1; step < 32; step *= 2) {
    const unsigned other = __shfl_up_sync(kAll, before, step);
    if ((threadIdx.x & 31) >= step) before += other;
  }
  if ((threadIdx.x & 31) == 31) memory.warps[threadIdx.x / 32] = before;
  before -= sum;
  __syncthreads();  // all warps' sums are there
  unsigned total = 0;
#pragma unroll
  for (int warp = 0; warp < Threads / 32; ++warp) {
    if (warp == threadIdx.x / 32) before += total;
    total += memory.warps[warp];
  }
  *mine = {before, before + counts.x, before + counts.x + counts.y, before + sum - counts.w};
  return {before, sum, total};
}

/// The one thread that has the rank among its buckets says in which.
__device__ inline void find_rank(unsigned rank, const Share& share, const std::uint32_t* starts, Rank* found) {
  if (rank < share.before || rank - share.before >= share.sum) return;
  const int first = static_cast<int>(threadIdx.x) * kShare;
  int bucket = first;
  while (bucket + 1 < first + kShare && starts[bucket + 1] <= rank) ++bucket;
  *found = {bucket, starts[bucket], bucket + 1 < first + kShare ? starts[bucket + 1] : share.before + share.sum};
}

/// What the pixels are divided by, by one thread.   returns whether the scheme serves
template <int Threads>
__device__ bool make_division(const CellRule& rule, const Division& bounds, CellMemory<Threads>& memory) {
  Division division = bounds;
  const Rank &first = memory.ranks[3], &last = memory.ranks[4];
  division.buckets = memory.buckets;
  division.middle_low = first.bucket;
  division.middle_high = last.bucket;
  division.middle_start = first.start;
  division.middle_count = last.end - first.start;
  division.lowest = memory.ranks[5].bucket;
  division.highest = memory.ranks[6].bucket;
  const float width = static_cast<float>(division.half) / division.buckets.scale;
  const int spread = memory.ranks[2].bucket - memory.ranks[0].bucket;
  division.exponent = ilogbf(rule.bound * static_cast<float>(spread) / division.buckets.scale) + 1;
  if (abs(division.exponent) > kMostExponent) return false;
  const double pivot =
      (static_cast<double>(kWhole) + division.centre - division.buckets.offset) / division.buckets.scale;
  if (fabs(pivot) >= power_of_two(division.exponent - kBits + 23)) division.pivot = static_cast<float>(pivot);
  memory.division = division;
  return fabs(pivot) < 0x1p21 * width && division.below + division.middle_count + division.above <= rule.list &&
         first.bucket >= division.centre - division.half && last.bucket <= division.centre + division.half;
}

/// From the counts to memory.division, by all threads of the block; the counts become ranks.   returns whether the
/// scheme serves
template <int Threads>
__device__ bool choose_division(const CellRule& rule, const Share& share, CellMemory<Threads>& memory) {
  const unsigned n = share.total;
#pragma unroll
  for (unsigned k = 0; k < 3; ++k) find_rank((k + 1) * n / 4, share, memory.starts, memory.ranks + k);
  __syncthreads();  // the quartiles are found, all ranks are in place
  const int spread = memory.ranks[2].bucket - memory.ranks[0].bucket;
  Division bounds{};
  bounds.centre = memory.ranks[1].bucket;
  bounds.half = min(static_cast<int>(rule.reach * static_cast<float>(spread)),
                    min(bounds.centre - 1, kBuckets<Threads> - 2 - bounds.centre));
  if (spread < kLeastSpread || bounds.half < kLeastSpread) return false;
  bounds.below = memory.starts[bounds.centre - bounds.half];
  bounds.above = n - memory.starts[bounds.centre + bounds.half + 1];
  bounds.finite = n;
  const unsigned first = (n - bounds.above) / 2, last = min((n + bounds.below) / 2, n - 1);
  find_rank(first > 0 ? first - 1 : 0, share, memory.starts, memory.ranks + 3);
  find_rank(last, share, memory.starts, memory.ranks + 4);
  find_rank(bounds.below, share, memory.starts, memory.ranks + 5);
  find_rank(n - bounds.above - 1, share, memory.starts, memory.ranks + 6);
  __syncthreads();  // the middle is found
  return __syncthreads_or(threadIdx.x == 0 && make_division(rule, bounds, memory)) != 0;
}

}  // namespace reber::cuda::cell
