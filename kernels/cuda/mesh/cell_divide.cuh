// SPDX-License-Identifier: BSD-3-Clause
// Device code for the middle of a cell's way: sure pixels summed, the others listed, those that could be a median put
// in order. For mesh_sift.cu.
#pragma once

#include "kernels/cuda/mesh/cell_sift.cuh"

namespace reber::cuda::cell {

/// What a pixel is told by: sure ones are at most `half` buckets from `centre` and not tiny, those of the middle in the
/// buckets from `low` to `high`.
struct Divider {
  Buckets buckets;
  float centre, half, low, high, tiny;

  __device__ explicit Divider(const Division& division)
      : buckets(division.buckets),
        centre(kWhole + static_cast<float>(division.centre)),
        half(static_cast<float>(division.half)),
        low(kWhole + static_cast<float>(division.middle_low)),
        high(kWhole + static_cast<float>(division.middle_high)),
        tiny(static_cast<float>(power_of_two(division.exponent - kBits + 23))) {}
  // No short cuts: a branch per pixel would cost more than all tests.
  __device__ bool inner(float bucket) const { return fabsf(bucket - centre) <= half; }
  __device__ bool middle(float bucket) const { return (bucket >= low) & (bucket <= high); }
};

/// Sums the sure ones of four pixels.   returns a bit for each that is to be listed
__device__ __forceinline__ unsigned sum_four(const float4& four, const Divider& divider, float pivot, double wide_pivot,
                                             Sums& sums) {
  const float values[4] = {four.x, four.y, four.z, four.w};
  unsigned bits = 0;
#pragma unroll
  for (int q = 0; q < 4; ++q) {
    const float bucket = divider.buckets(values[q]);
    const bool sure = divider.inner(bucket) & (fabsf(values[q]) >= divider.tiny);
    bits |= static_cast<unsigned>(!sure | divider.middle(bucket)) << q;
    float summed = sure ? values[q] : pivot;
    asm("" : "+f"(summed));  // chosen before it is widened: one instruction less
    add_lossless(sums, static_cast<double>(summed) - wide_pivot);
  }
  return bits;
}

/// Lists a pixel. The ranks where the buckets start serve as cursors: less the ranks of what is not listed, a pixel's
/// place in the list.
template <int Threads>
__device__ __forceinline__ void list_pixel(float pixel, const Divider& divider, const CellRule& rule,
                                           CellMemory<Threads>& memory, float* list) {
  if (!isfinite(pixel)) return;
  const Division& division = memory.division;
  const float bucket = held_bucket<Threads>(divider.buckets, pixel);
  const bool inner = divider.inner(bucket), middle = divider.middle(bucket);
  if (!inner | middle) {
    const unsigned passed = middle ? division.middle_start - division.below
                            : bucket < divider.centre
                                ? 0
                                : division.finite - division.above - division.below - division.middle_count;
    list[atomicAdd(memory.starts + (__float_as_uint(bucket) - __float_as_uint(kWhole)), 1u) - passed] = pixel;
  }
  if (inner & (fabsf(pixel) < divider.tiny)) {
    const unsigned place = division.below + division.middle_count + division.above + atomicAdd(&memory.tiny, 1u);
    if (place < rule.list) list[place] = pixel;
  }
}

/// Sums the sure pixels of a thread and lists the others and those of the middle.
template <int Threads>
__device__ Sums divide_pixels(int groups, const CellRule& rule, const float* pixels, CellMemory<Threads>& memory,
                              float* list) {
  const Divider divider(memory.division);
  const float pivot = memory.division.pivot;
  Sums sums{0, power_of_two(2 * memory.division.exponent + kHeadBits), 0};
  for (int first = threadIdx.x; first < groups; first += kGroups * Threads) {
    const int count = min(kGroups, (groups - first + Threads - 1) / Threads);
    unsigned listed = 0;
#pragma unroll 1  // two or four together are slower by 2 to 6 %
    for (int k = 0; k < count; ++k)
      listed |= sum_four(reinterpret_cast<const float4*>(pixels)[first + k * Threads], divider, pivot, pivot, sums)
                << (4 * k);
    for (; listed != 0; listed &= listed - 1) {
      const int at = __ffs(static_cast<int>(listed)) - 1;
      list_pixel(pixels[4 * (first + at / 4 * Threads) + at % 4], divider, rule, memory, list);
    }
  }
  return sums;
}

/// The block's sums in memory.sums: distances in units, heads of the squares in units squared times 2^(kBits + 1), and
/// the rests in units squared, one number per warp each.
template <int Threads>
__device__ void keep_sums(const Sums& sums, int exponent, CellMemory<Threads>& memory) {
  static_assert(2 * kBits - 52 + kHeadBits == kBits + 1, "an ulp of the head is 2^(kBits + 1) units squared");
  const WholeSums whole =
      whole_sums(sums, power_of_two(2 * exponent + kHeadBits), exponent - kBits, 2 * exponent - kBits + 1);
  const long long parts[3] = {warp_sum(whole.sum), warp_sum(whole.head), warp_sum(whole.rest)};
  if ((threadIdx.x & 31) != 0) return;
#pragma unroll
  for (int k = 0; k < 3; ++k) memory.sums[k][threadIdx.x / 32] = parts[k];
}

/// Where the pixels of a bucket of the middle lie in the middle, all buckets' starts having moved to their ends.
struct BucketEnds {
  unsigned start, end;
};

template <int Threads>
__device__ BucketEnds bucket_ends(const CellMemory<Threads>& memory, float pixel) {
  const Division& division = memory.division;
  const int at = static_cast<int>(__float_as_uint(division.buckets(pixel)) - __float_as_uint(kWhole));
  return {at == division.middle_low ? 0 : memory.starts[at - 1] - division.middle_start,
          memory.starts[at] - division.middle_start};
}

/// The middle in the order of its keys: bucket after bucket, by counting within each. Where there are many, they may be
/// few values that occur often, of which each has its own bucket.
template <int Threads>
__device__ void sort_middle(const CellMemory<Threads>& memory, const float* middle, float* sorted) {
  constexpr unsigned kMany = 256;
  const unsigned count = memory.division.middle_count;
  bool alike = count > kMany;
  if (alike) {
    bool differ = false;
    for (unsigned k = threadIdx.x; k < count; k += Threads)
      differ |= __float_as_uint(middle[k]) != __float_as_uint(middle[bucket_ends(memory, middle[k]).start]);
    alike = __syncthreads_or(differ) == 0;
  }
  for (unsigned k = threadIdx.x; k < count; k += Threads) {
    const float pixel = middle[k];
    unsigned place = k;
    if (!alike) {
      const BucketEnds ends = bucket_ends(memory, pixel);
      const std::uint32_t key = rules::key_of(pixel);
      place = ends.start;
      for (unsigned at = ends.start; at < ends.end; ++at) {
        const std::uint32_t other = rules::key_of(middle[at]);
        place += other < key || (other == key && at < k) ? 1 : 0;
      }
    }
    sorted[place] = pixel;
  }
}

}  // namespace reber::cuda::cell
