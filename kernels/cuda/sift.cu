// SPDX-License-Identifier: BSD-3-Clause
// The pass over the pixels: sure ones are summed in registers, without rounding, the others listed.
#include <cuda_runtime.h>

#include "kernels/cuda/sift.hpp"
#include "kernels/shared/float_keys.hpp"

namespace reber::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int kPiece = 512;  ///< pixels of a row that a warp takes at once
constexpr int kRoom = 512;   ///< keys that a warp collects before it writes them
constexpr unsigned kAll = 0xffffffffu;
constexpr std::uint32_t kBlankKey = 0xffffffffu;
// The exact sum of squares of a thread starts at 2^(2 exponent + kHeadBits) and must stay below twice that.
constexpr int kHeadBits = 12;
constexpr std::int64_t kMostPieces = (1 << kHeadBits) / (kPiece / 32);  ///< that a warp may take

__global__ void __launch_bounds__(kThreads)
    k_sample_keys(RowWindow window, std::uint32_t* __restrict__ keys, std::int64_t count) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= count) return;
  const std::int64_t pixels = window.rows * window.nx;
  // One pixel of each of `count` equal stretches, at a place inside it that moves on by the golden section: columns and
  // tiles of the image are then met evenly.
  const std::uint32_t place = count == pixels ? 0 : static_cast<std::uint32_t>(i) * 2654435769u;
  const double at =
      (static_cast<double>(i) + place * 0x1p-32) / static_cast<double>(count) * static_cast<double>(pixels);
  const std::int64_t inside = count == pixels ? i : min(static_cast<long long>(at), static_cast<long long>(pixels - 1));
  const float pixel = window.pixels[inside / window.nx * window.pitch + inside % window.nx];
  keys[i] = isfinite(pixel) ? rules::key_of(pixel) : kBlankKey;
}

/// 2^exponent; exponent in the range of normal doubles.
__device__ double power_of_two(int exponent) { return __hiloint2double((exponent + 1023) << 20, 0); }

/// Sums of one thread. square_sum - its start, plus square_rest, is the sum of squares: both are exact, since every
/// square is a multiple of 4^(exponent - kCoarseBits) below 4^exponent and there are at most 2^kHeadBits.
struct Sums {
  double sum, square_sum, square_rest;
  unsigned below, above;
};

__device__ __forceinline__ void add_sure(Sums& sums, double value) {
  const double next = fma(value, value, sums.square_sum);
  sums.square_rest += fma(value, value, -(next - sums.square_sum));
  sums.square_sum = next;
  sums.sum += value;
}

/// Keys that a warp collects in shared memory. count is the same in all lanes.
struct Collected {
  std::uint32_t* room;
  unsigned count;
};

/// By a whole warp: appends what was collected to the list.
__device__ void write_out(Collected& keys, unsigned long long* listed, std::uint32_t* list, unsigned long long size) {
  __syncwarp();  // the lanes' keys are in place
  const unsigned lane = threadIdx.x & 31;
  unsigned long long at = 0;
  if (lane == 0) at = atomicAdd(listed, static_cast<unsigned long long>(keys.count));
  at = __shfl_sync(kAll, at, 0);
  if (at + keys.count <= size)
    for (unsigned k = lane; k < keys.count; k += 32) list[at + k] = keys.room[k];
  keys.count = 0;
  __syncwarp();  // all keys are read before the next ones overwrite them
}

__device__ void add_split(unsigned long long* halves, long long value) {
  atomicAdd(halves, static_cast<unsigned long long>(value) & 0xffffffffull);
  atomicAdd(halves + 1, static_cast<unsigned long long>(value >> 32));
}

/// A warp's sum, to be added by lane 0.
__device__ long long warp_sum(long long value) {
  for (int half = 16; half > 0; half /= 2) value += __shfl_down_sync(kAll, value, half);
  return value;
}

__device__ void finish_sums(const Sums& sums, double start, int exponent, Sifted* sifted) {
  const long long sum = warp_sum(static_cast<long long>(sums.sum * power_of_two(kCoarseBits - exponent)));
  const long long squares =
      warp_sum(static_cast<long long>((sums.square_sum - start) * power_of_two(2 * kCoarseBits - 32 - 2 * exponent)));
  const long long rest =
      warp_sum(static_cast<long long>(sums.square_rest * power_of_two(2 * kCoarseBits - 2 * exponent)));
  const long long below = warp_sum(sums.below), above = warp_sum(sums.above);
  __shared__ long long totals[5][kWarps];
  const int warp = threadIdx.x / 32;
  if ((threadIdx.x & 31) == 0) {
    totals[0][warp] = sum, totals[1][warp] = squares, totals[2][warp] = rest;
    totals[3][warp] = below, totals[4][warp] = above;
  }
  __syncthreads();  // all warps' sums are there
  if (threadIdx.x >= 5) return;
  long long total = 0;
  for (int w = 0; w < kWarps; ++w) total += totals[threadIdx.x][w];
  switch (threadIdx.x) {
    case 0:
      add_split(sifted->sum, total);
      break;
    case 1:
      add_split(sifted->squares, total);
      break;
    case 2:
      add_split(sifted->squares_rest, total);
      break;
    case 3:
      atomicAdd(&sifted->below, static_cast<unsigned long long>(total));
      break;
    default:
      atomicAdd(&sifted->above, static_cast<unsigned long long>(total));
      break;
  }
}

struct Lists {
  std::uint32_t* list;
  unsigned long long list_size;
  float* odd;
  unsigned long long odd_size;
};

/// By a whole warp, a pixel a lane.
__device__ __forceinline__ void sift_pixel(float pixel, const Bracket& bracket, float tiny, Sums& sums, Collected& keys,
                                           Sifted* sifted, const Lists& lists) {
  const bool sure =
      pixel >= bracket.low && pixel <= bracket.high && !(pixel >= bracket.middle_low && pixel <= bracket.middle_high);
  const bool odd = sure && fabsf(pixel) < tiny && pixel != 0;
  const bool below = pixel < bracket.middle_low;
  sums.below += sure && below ? 1 : 0;
  sums.above += sure && !below ? 1 : 0;
  add_sure(sums, sure && !odd ? static_cast<double>(pixel) : 0.0);
  const bool listed = isfinite(pixel) && !sure;
  const unsigned mask = __ballot_sync(kAll, listed || odd);
  if (mask == 0) return;
  const unsigned list_mask = __ballot_sync(kAll, listed);
  if (listed) keys.room[keys.count + __popc(list_mask & ((1u << (threadIdx.x & 31)) - 1))] = rules::key_of(pixel);
  keys.count += __popc(list_mask);
  if (odd) {
    const unsigned long long at = atomicAdd(&sifted->odd, 1ull);
    if (at < lists.odd_size) lists.odd[at] = pixel;
  }
}

__device__ __forceinline__ float4 load_four(const float* row, std::int64_t x, std::int64_t nx) {
  if (x + 3 < nx) return __ldg(reinterpret_cast<const float4*>(row + x));
  const float blank = rules::blank_value();
  return {x < nx ? row[x] : blank, x + 1 < nx ? row[x + 1] : blank, x + 2 < nx ? row[x + 2] : blank, blank};
}

__global__ void __launch_bounds__(kThreads) k_sift_pixels(RowWindow window, SiftState* state, Lists lists) {
  __shared__ std::uint32_t room[kWarps][kRoom];
  const Bracket bracket = state->bracket;
  if (!bracket.usable) return;
  const double start = power_of_two(2 * bracket.exponent + kHeadBits);
  const float tiny = ldexpf(1.0f, bracket.exponent - kTinyBits);
  Sums sums{0, start, 0, 0, 0};
  Collected keys{room[threadIdx.x / 32], 0};
  const std::int64_t pieces = (window.nx + kPiece - 1) / kPiece;
  const std::int64_t warps = static_cast<std::int64_t>(gridDim.x) * kWarps;
  const int lane = threadIdx.x & 31;
  for (std::int64_t task = static_cast<std::int64_t>(blockIdx.x) * kWarps + threadIdx.x / 32;
       task < window.rows * pieces; task += warps) {
    const float* row = window.pixels + task / pieces * window.pitch;
    const std::int64_t x = task % pieces * kPiece + lane * 4;
    float4 values[kPiece / 128];
#pragma unroll
    for (int part = 0; part < kPiece / 128; ++part) values[part] = load_four(row, x + part * 128, window.nx);
#pragma unroll
    for (int part = 0; part < kPiece / 128; ++part) {
      const float four[4] = {values[part].x, values[part].y, values[part].z, values[part].w};
#pragma unroll
      for (int q = 0; q < 4; ++q) sift_pixel(four[q], bracket, tiny, sums, keys, &state->sifted, lists);
      if (keys.count > kRoom - 128) write_out(keys, &state->sifted.listed, lists.list, lists.list_size);
    }
  }
  write_out(keys, &state->sifted.listed, lists.list, lists.list_size);
  finish_sums(sums, start, bracket.exponent, &state->sifted);
}

}  // namespace

void sample_keys(cudaStream_t stream, const RowWindow& window, std::uint32_t* keys, std::int64_t count) {
  k_sample_keys<<<static_cast<unsigned>((count + kThreads - 1) / kThreads), kThreads, 0, stream>>>(window, keys, count);
  check_launch("k_sample_keys", stream);
}

void sift_pixels(cudaStream_t stream, int multiprocessors, const RowWindow& window, SiftState* state,
                 std::uint32_t* list, std::int64_t list_size, float* odd, std::int64_t odd_size) {
  const std::int64_t tasks = window.rows * ((window.nx + kPiece - 1) / kPiece);
  // Blocks that fill the card, or so many that no thread sums too many squares.
  const std::int64_t fill = std::int64_t{6} * multiprocessors, most = (tasks + kWarps - 1) / kWarps;
  const std::int64_t least = (tasks + kWarps * kMostPieces - 1) / (kWarps * kMostPieces);
  const std::int64_t blocks = fill > most ? most : (fill < least ? least : fill);
  k_sift_pixels<<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(
      window, state,
      {list, static_cast<unsigned long long>(list_size), odd, static_cast<unsigned long long>(odd_size)});
  check_launch("k_sift_pixels", stream);
}

}  // namespace reber::cuda
