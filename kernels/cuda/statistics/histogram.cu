// SPDX-License-Identifier: BSD-3-Clause
// Counting float keys with integer atomics: any order gives the same numbers. Answers kernels/cpu/histogram.cpp.
#include <cuda_runtime.h>

#include "kernels/cuda/device/shared_memory.hpp"
#include "kernels/cuda/statistics/histogram.hpp"
#include "kernels/shared/float_keys.hpp"

namespace reber::cuda {
namespace {

constexpr int kThreads = 1024;
// 13 octaves of 128 bins of magnitude, both signs: from 1/700 to 11 times the median magnitude lies all but a part in a
// thousand of a noisy image. Four 32-bit words per bin: 53 KB, two blocks per multiprocessor.
constexpr int kHot = 13 * 128;
constexpr int kSlots = 2 * kHot + 2;  ///< and the two zeros' bins
constexpr std::size_t kHotBytes = std::size_t{kSlots} * 4 * sizeof(std::uint32_t);
constexpr unsigned kAll = 0xffffffffu;

__device__ unsigned magnitude_bin(std::uint32_t bits) { return (bits & 0x7fffffffu) >> 16; }

/// Slot in shared memory of a value's bits, or -1.
__device__ int slot_of(std::uint32_t bits, HotBins hot) {
  const unsigned magnitude = magnitude_bin(bits), sign = bits >> 31;
  if (magnitude == 0) return static_cast<int>(sign);
  const unsigned at = magnitude - hot.first;
  return at < kHot ? static_cast<int>(2 + 2 * at + sign) : -1;
}

/// The bin that a slot stands for.
__device__ std::uint32_t bin_of_slot(int slot, HotBins hot) {
  const std::uint32_t sign = slot & 1;
  const std::uint32_t magnitude = slot < 2 ? 0 : hot.first + static_cast<std::uint32_t>(slot - 2) / 2;
  return rules::bin_of(rules::key_of_bits(sign << 31 | magnitude << 16));
}

/// Adds to a 32-bit word in shared memory; what it cannot hold goes to the 64-bit sum in device memory, scaled.
__device__ void add_carrying(std::uint32_t* word, std::uint32_t amount, unsigned long long* wide, int shift) {
  const std::uint32_t old = atomicAdd(word, amount);
  if (old > 0xffffffffu - amount) atomicAdd(wide, (1ull << 32) << shift);
}

/// Adds `times` pixels with these bits, all alike.
__device__ void add_pixel(std::uint32_t bits, unsigned times, HotBins hot, std::uint32_t* words,
                          unsigned long long* sums) {
  const std::uint32_t key = rules::key_of_bits(bits);
  const std::uint32_t bin = rules::bin_of(key), offset = rules::offset_in_bin(key);
  const std::uint32_t square = offset * offset;  // below 2^32
  const int slot = slot_of(bits, hot);
  if (slot < 0) {
    atomicAdd(sums + bin, static_cast<unsigned long long>(times));
    atomicAdd(sums + rules::kBins + bin, static_cast<unsigned long long>(offset) * times);
    atomicAdd(sums + 2 * rules::kBins + bin, static_cast<unsigned long long>(square) * times);
    return;
  }
  // Squares in two halves: 16 bits each, so that 65536 pixels of one bin fit before a carry.
  add_carrying(words + slot, times, sums + bin, 0);
  add_carrying(words + kSlots + slot, offset * times, sums + rules::kBins + bin, 0);
  add_carrying(words + 2 * kSlots + slot, (square & 0xffffu) * times, sums + 2 * rules::kBins + bin, 0);
  add_carrying(words + 3 * kSlots + slot, (square >> 16) * times, sums + 2 * rules::kBins + bin, 16);
}

/// Calls body(bits, finite) for each pixel of rows [y0, y0 + ny), all lanes of a warp together, four pixels per lane.
/// Of the first four columns `skip` are blank, if there are any such (Skips).
template <bool Skips, class Body>
__device__ void for_each_pixel(const RowWindow& window, std::int64_t y0, std::int64_t ny, int skip, Body body) {
  constexpr int kPiece = 512;  // pixels of a row that a warp takes at once
  const std::int64_t pieces = (window.nx + kPiece - 1) / kPiece;
  const std::int64_t warps = static_cast<std::int64_t>(gridDim.x) * (blockDim.x / 32);
  const int lane = threadIdx.x & 31;
  for (std::int64_t task = static_cast<std::int64_t>(blockIdx.x) * (blockDim.x / 32) + threadIdx.x / 32;
       task < ny * pieces; task += warps) {
    const float* row = window.pixels + (y0 + task / pieces - window.first) * window.pitch;
    const std::int64_t x0 = task % pieces * kPiece + lane * 4;
    float4 values[kPiece / 128];
#pragma unroll
    for (int part = 0; part < kPiece / 128; ++part) {
      const std::int64_t x = x0 + part * 128;
      const float blank = rules::blank_value();
      values[part] = {blank, blank, blank, blank};
      if (x + 3 < window.nx) {
        values[part] = __ldg(reinterpret_cast<const float4*>(row + x));
      } else {
        if (x < window.nx) values[part].x = row[x];
        if (x + 1 < window.nx) values[part].y = row[x + 1];
        if (x + 2 < window.nx) values[part].z = row[x + 2];
      }
      if (Skips && x < skip) {
        values[part].x = blank;
        if (skip > 1) values[part].y = blank;
        if (skip > 2) values[part].z = blank;
      }
    }
#pragma unroll
    for (int part = 0; part < kPiece / 128; ++part) {
      const float four[4] = {values[part].x, values[part].y, values[part].z, values[part].w};
#pragma unroll
      for (int q = 0; q < 4; ++q) body(__float_as_uint(four[q]), static_cast<bool>(isfinite(four[q])));
    }
  }
}

template <bool Skips>
__global__ void __launch_bounds__(kThreads, 2)
    k_add_moments(RowWindow window, std::int64_t y0, std::int64_t ny, int skip, HotBins hot, unsigned long long* sums) {
  extern __shared__ std::uint32_t words[];
  for (int i = threadIdx.x; i < 4 * kSlots; i += kThreads) words[i] = 0;
  __syncthreads();  // all words are 0 before the first count
  for_each_pixel<Skips>(window, y0, ny, skip, [&](std::uint32_t bits, bool finite) {
    // Empty parts of an image are one value throughout: one lane then counts for its warp, since 32 atomics on one word
    // would queue up.
    const std::uint32_t first = __shfl_sync(kAll, bits, 0);
    if (__all_sync(kAll, finite && bits == first)) {
      if ((threadIdx.x & 31) == 0) add_pixel(bits, 32, hot, words, sums);
    } else if (finite) {
      add_pixel(bits, 1, hot, words, sums);
    }
  });
  __syncthreads();  // all counts are in before they are added up
  for (int slot = threadIdx.x; slot < kSlots; slot += kThreads) {
    const std::uint32_t bin = bin_of_slot(slot, hot);
    const unsigned long long count = words[slot], sum = words[kSlots + slot];
    const unsigned long long squares =
        words[2 * kSlots + slot] + (static_cast<unsigned long long>(words[3 * kSlots + slot]) << 16);
    if (count != 0) atomicAdd(sums + bin, count);
    if (sum != 0) atomicAdd(sums + rules::kBins + bin, sum);
    if (squares != 0) atomicAdd(sums + 2 * rules::kBins + bin, squares);
  }
}

__global__ void __launch_bounds__(kThreads, 2)
    k_add_values(RowWindow window, std::int64_t y0, std::int64_t ny, int skip, const std::uint32_t* __restrict__ wanted,
                 const std::uint16_t* __restrict__ slots, unsigned long long* counts) {
  __shared__ std::uint32_t wanted_bits[rules::kBins / 32];
  for (int i = threadIdx.x; i < static_cast<int>(rules::kBins / 32); i += kThreads) wanted_bits[i] = wanted[i];
  __syncthreads();  // the whole table is there before the first look-up
  for_each_pixel<true>(window, y0, ny, skip, [&](std::uint32_t bits, bool finite) {
    const std::uint32_t key = rules::key_of_bits(bits);
    const std::uint32_t bin = rules::bin_of(key);
    const bool hit = finite && (wanted_bits[bin / 32] >> (bin % 32) & 1u) != 0;
    if (!__any_sync(kAll, hit)) return;
    const std::uint32_t first = __shfl_sync(kAll, bits, 0);
    const bool alike = __all_sync(kAll, hit && bits == first) != 0;
    if (!hit || (alike && (threadIdx.x & 31) != 0)) return;
    atomicAdd(counts + (static_cast<std::size_t>(slots[bin]) << 16 | rules::offset_in_bin(key)), alike ? 32ull : 1ull);
  });
}

__global__ void k_sample_pixels(RowWindow window, float* samples, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  const std::int64_t pixels = window.rows * window.nx;
  const auto at = static_cast<std::int64_t>((static_cast<double>(i) + 0.5) / count * static_cast<double>(pixels));
  const std::int64_t inside = at < pixels ? at : pixels - 1;
  samples[i] = window.pixels[inside / window.nx * window.pitch + inside % window.nx];
}

/// Blocks that fill the card, or fewer for a small image.
unsigned blocks_for(int multiprocessors, std::int64_t ny, std::int64_t nx) {
  const std::int64_t tasks = ny * ((nx + 511) / 512);
  const std::int64_t wanted = (tasks + kThreads / 32 - 1) / (kThreads / 32);
  return static_cast<unsigned>(wanted < 2 * multiprocessors ? wanted : 2 * multiprocessors);
}

}  // namespace

void add_moments(cudaStream_t stream, int multiprocessors, const RowWindow& window, std::int64_t y0, std::int64_t ny,
                 int skip, HotBins hot, unsigned long long* sums) {
  auto* const kernel = skip > 0 ? k_add_moments<true> : k_add_moments<false>;
  allow_shared(kernel, kHotBytes);
  kernel<<<blocks_for(multiprocessors, ny, window.nx), kThreads, kHotBytes, stream>>>(window, y0, ny, skip, hot, sums);
  check_launch("k_add_moments", stream);
}

void add_values(cudaStream_t stream, int multiprocessors, const RowWindow& window, std::int64_t y0, std::int64_t ny,
                int skip, const std::uint32_t* wanted, const std::uint16_t* slots, unsigned long long* counts) {
  k_add_values<<<blocks_for(multiprocessors, ny, window.nx), kThreads, 0, stream>>>(window, y0, ny, skip, wanted, slots,
                                                                                    counts);
  check_launch("k_add_values", stream);
}

void sample_pixels(cudaStream_t stream, const RowWindow& window, float* samples, int count) {
  k_sample_pixels<<<(count + 255) / 256, 256, 0, stream>>>(window, samples, count);
  check_launch("k_sample_pixels", stream);
}

}  // namespace reber::cuda
