// SPDX-License-Identifier: BSD-3-Clause
// Transforms of whole rows and columns of tiles, a line by the T threads that hold R of its values each.
//
// A line of N = R1 R2 R3 values is transformed by butterflies that put their results where their values were, so
// spectra stand in digit-reversed order, the kernel's as well, and nothing is reordered. Between steps values change
// hands through shared memory; the first step reads global memory and the last one writes it.
#pragma once

#include <algorithm>
#include <cmath>

#include "kernels/cuda/convolve/fft/fft_lines.hpp"
#include "kernels/cuda/convolve/fft/fft_registers.cuh"
#include "kernels/cuda/device/shared_memory.hpp"

namespace reber::cuda::fft {

/// R3 may be 1: two steps. Beside: columns that one block transforms side by side, 1 for rows; Blocks of them are to
/// fit a multiprocessor.
template <int R1_, int R2_, int R3_, int T_, int Beside_ = 1, int Blocks_ = 1>
struct Line {
  static constexpr int R1 = R1_, R2 = R2_, R3 = R3_, N = R1 * R2 * R3, M = R2 * R3;
  static constexpr int RL = R3 > 1 ? R3 : R2;  ///< of the last step
  static constexpr int T = T_, Beside = Beside_, Threads = T * Beside, Blocks = Blocks_;
  /// Butterflies of one step that a thread does, and whether every thread does that many.
  template <int Radix>
  static constexpr int kRounds = (N / Radix + T - 1) / T;
  template <int Radix>
  static constexpr bool kFull = N / Radix % T == 0;
  static constexpr int held(int radix) { return (N / radix + T - 1) / T * radix; }
  static constexpr int R = std::max({held(R1), held(R2), held(R3)});  ///< values of a thread
  /// One value of padding after so many, against bank conflicts of the 16 values that are moved at a time: of one line,
  /// or of several columns.
  static constexpr int Skew = R3 == 1 ? R2 : Beside == 1 || Beside >= 16 ? 16 : R3;
  static constexpr int Padded = N + N / Skew;
  static constexpr int kBytes = Beside * Padded * 8;
  static_assert(M % Skew == 0 && Skew % R3 == 0);

  /// Whether thread t has a butterfly u of this radix.
  template <int Radix>
  __device__ static bool has(unsigned t, unsigned u) {
    return kFull<Radix> || t + T * u < N / Radix;
  }
  /// Position in the line of value i of thread t's butterfly u, and its place in padded shared memory: a part that
  /// depends on the thread and one that is known at compile time.
  __device__ static unsigned first(unsigned t, unsigned u, unsigned i) { return t + T * u + M * i; }
  __device__ static unsigned second(unsigned t, unsigned u, unsigned i) {
    const unsigned b = t + T * u;
    return b / R3 * M + b % R3 + R3 * i;
  }
  __device__ static unsigned last(unsigned t, unsigned u, unsigned i) {
    return R3 > 1 ? R3 * (t + T * u) + i : second(t, u, i);
  }
  __device__ static unsigned first_place(unsigned t, unsigned u, unsigned i) {
    const unsigned j = t + T * u;
    return j + j / Skew + (M + M / Skew) * i;
  }
  __device__ static unsigned second_place(unsigned t, unsigned u, unsigned i) {
    const unsigned b = t + T * u;
    return b / R3 * (M + M / Skew) + b % R3 + (R3 * i + R3 * i / Skew);
  }
  __device__ static unsigned third_place(unsigned t, unsigned u, unsigned i) {
    const unsigned g = t + T * u;
    return R3 * g + R3 * g / Skew + i;
  }
  /// The same value's place in memory between kernels: neighbouring threads beside each other.
  __device__ static unsigned stored(unsigned t, unsigned u, unsigned i) { return t + T * u + N / RL * i; }
};

/// Calls body(u, i, n) for value i of each of the thread's butterflies u of one step; it is the thread's value n.
template <class L, int Radix, class Body>
__device__ __forceinline__ void each(unsigned t, Body body) {
#pragma unroll
  for (int u = 0; u < L::template kRounds<Radix>; ++u) {
    if (!L::template has<Radix>(t, u)) continue;
#pragma unroll
    for (int i = 0; i < Radix; ++i) body(u, i, u * Radix + i);
  }
}

/// Turns after a step of `Radix` butterflies with `count` places each: k count + j holds exp(-2 pi i j k / (Radix
/// count)). Of these the first three and every fourth are loaded and the others made of two: in kernels that live by
/// their loads a product is cheaper.
template <class L, int Radix, bool Inverse>
__device__ __forceinline__ void turn(float2 (&v)[L::R], const float2* __restrict__ roots, unsigned t, unsigned count) {
#pragma unroll
  for (int u = 0; u < L::template kRounds<Radix>; ++u) {
    if (!L::template has<Radix>(t, u)) continue;
    const unsigned j = (t + L::T * u) % count;
    float2* of = v + u * Radix;
    float2 low[4];
#pragma unroll
    for (int k = 1; k < 4; ++k) {
      low[k] = __ldg(roots + k * count + j);
      of[k] = product<Inverse>(of[k], low[k]);
    }
#pragma unroll
    for (int h = 4; h < Radix; h += 4) {
      const float2 high = __ldg(roots + h * count + j);
      of[h] = product<Inverse>(of[h], high);
#pragma unroll
      for (int k = 1; k < 4; ++k) of[h + k] = product<Inverse>(of[h + k], product(high, low[k]));
    }
  }
}

template <class L, int Radix, bool Inverse>
__device__ __forceinline__ void butterflies(float2 (&v)[L::R], unsigned t) {
#pragma unroll
  for (int u = 0; u < L::template kRounds<Radix>; ++u) {
    if (L::template has<Radix>(t, u)) transform<Radix, Inverse>(v, u * Radix);
  }
}

/// Moves values from the places of one step to those of the next. place(position) is in shared memory.
template <class L, int From, int To, class Place, class Give, class Take>
__device__ __forceinline__ void exchange(float2 (&v)[L::R], unsigned t, Place place, Give give, Take take) {
  each<L, From>(t, [&](int u, int i, int n) { place(give(u, i)) = v[n]; });
  __syncthreads();
  each<L, To>(t, [&](int u, int i, int n) { v[n] = place(take(u, i)); });
}

/// From the first step's places to the last one's; all threads of the block must come.
template <class L, class Place>
__device__ __forceinline__ void forward(float2 (&v)[L::R], unsigned t, const float2* roots, Place place) {
  const auto first = [t](int u, int i) { return L::first_place(t, u, i); };
  const auto second = [t](int u, int i) { return L::second_place(t, u, i); };
  const auto third = [t](int u, int i) { return L::third_place(t, u, i); };
  butterflies<L, L::R1, false>(v, t);
  turn<L, L::R1, false>(v, roots, t, L::M);
  exchange<L, L::R1, L::R2>(v, t, place, first, second);
  butterflies<L, L::R2, false>(v, t);
  if constexpr (L::R3 > 1) {
    turn<L, L::R2, false>(v, roots + L::N, t, L::R3);
    exchange<L, L::R2, L::R3>(v, t, place, second, third);
    butterflies<L, L::R3, false>(v, t);
  }
}

/// From the last step's places to the first one's. The last exchange of forward() may have been with the same memory:
/// every value is then put where its own thread took one.
template <class L, class Place>
__device__ __forceinline__ void back(float2 (&v)[L::R], unsigned t, const float2* roots, Place place) {
  const auto first = [t](int u, int i) { return L::first_place(t, u, i); };
  const auto second = [t](int u, int i) { return L::second_place(t, u, i); };
  const auto third = [t](int u, int i) { return L::third_place(t, u, i); };
  if constexpr (L::R3 > 1) {
    butterflies<L, L::R3, true>(v, t);
    exchange<L, L::R3, L::R2>(v, t, place, third, second);
    turn<L, L::R2, true>(v, roots + L::N, t, L::R3);
  }
  butterflies<L, L::R2, true>(v, t);
  exchange<L, L::R2, L::R1>(v, t, place, second, first);
  turn<L, L::R1, true>(v, roots, t, L::M);
  butterflies<L, L::R1, true>(v, t);
}

/// Row `row` of a tile, each thread's pixels in the first step's places.
template <class L>
__device__ __forceinline__ void load_row(const LineArguments& a, int tile, int row, unsigned t, float* staged,
                                         float (&pixels)[L::R]) {
  const ConvolveJob& job = a.job;
  const std::int64_t y =
      job.y0 + static_cast<std::int64_t>(tile / a.tiles_x) * a.valid_y - (a.kernel_ny - 1 - a.kernel_ny / 2) + row;
  const std::int64_t x0 = static_cast<std::int64_t>(tile % a.tiles_x) * a.valid_x - (a.kernel_nx - 1 - a.kernel_nx / 2);
  // Pixels that no output of this job needs stay 0.
  const bool needed = tile < a.tiles && y < job.y0 + job.ny + a.kernel_ny / 2;
  const float* from = needed ? window_row(job.in, y, job.boundary) : nullptr;
  const float offset = needed && !a.mask && a.offsets != nullptr ? __ldg(a.offsets + tile) : 0.0f;
  bool blank_seen = false;
  if (from != nullptr && x0 >= 0 && x0 + L::N <= job.in.nx) {
    each<L, L::R1>(t, [&](int u, int i, int n) { pixels[n] = __ldg(from + x0 + L::first(t, u, i)); });
    if (a.mask || !job.all_finite) {
#pragma unroll
      for (int n = 0; n < L::R; ++n) pixels[n] = convolved(pixels[n], a.mask, blank_seen);
    }
#pragma unroll
    for (int n = 0; n < L::R; ++n) pixels[n] -= offset;
    return;
  }
  const std::int64_t end = needed ? job.in.nx + a.kernel_nx / 2 : x0;
  constexpr int kRounds = L::template kRounds<L::R1>;
  // Each thread stages what it takes itself: no barrier.
#pragma unroll 1
  for (int n = 0; n < kRounds * L::R1; ++n) {
    if (!L::template has<L::R1>(t, n / L::R1)) continue;
    const unsigned place = L::first(t, n / L::R1, n % L::R1);
    const std::int64_t x = x0 + place;
    staged[place] =
        x < end ? convolved(row_value(from, x, job.in.nx, job.boundary), a.mask, blank_seen) - offset : 0.0f;
  }
  each<L, L::R1>(t, [&](int u, int i, int n) { pixels[n] = staged[L::first(t, u, i)]; });
}

/// One block per row of a pair of tiles.
template <class L>
__global__ void __launch_bounds__(L::Threads)
    k_fft_rows(const __grid_constant__ LineArguments a, std::int32_t tile_ny) {
  extern __shared__ float2 shared[];
  const unsigned t = threadIdx.x;
  const int line = static_cast<int>(blockIdx.x), tile = 2 * (a.first + line / tile_ny), row = line % tile_ny;
  float2 v[L::R];
  float pixels[L::R];
  load_row<L>(a, tile, row, t, reinterpret_cast<float*>(shared), pixels);
#pragma unroll
  for (int n = 0; n < L::R; ++n) v[n].x = pixels[n];
  load_row<L>(a, tile + 1, row, t, reinterpret_cast<float*>(shared), pixels);
#pragma unroll
  for (int n = 0; n < L::R; ++n) v[n].y = pixels[n];
  __syncthreads();  // staged pixels and exchanged values share memory
  forward<L>(v, t, a.row_roots, [](unsigned p) -> float2& { return shared[p]; });
  float2* to = a.memory + static_cast<std::int64_t>(line) * L::N;
  each<L, L::RL>(t, [&](int u, int i, int n) { to[L::stored(t, u, i)] = v[n]; });
}

/// One block per row of outputs of a pair of tiles.
template <class L>
__global__ void __launch_bounds__(L::Threads)
    k_fft_rows_back(const __grid_constant__ LineArguments a, std::int32_t tile_ny) {
  extern __shared__ float2 shared[];
  const unsigned t = threadIdx.x;
  const int line = static_cast<int>(blockIdx.x), pair = line / a.valid_y, dy = line % a.valid_y;
  const float2* from = a.memory + (static_cast<std::int64_t>(pair) * tile_ny + a.kernel_ny - 1 + dy) * L::N;
  float2 v[L::R];
  each<L, L::RL>(t, [&](int u, int i, int n) { v[n] = from[L::stored(t, u, i)]; });
  back<L>(v, t, a.row_roots, [](unsigned p) -> float2& { return shared[p]; });
  unsigned blank = 0;
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    const int tile = 2 * (a.first + pair) + k;
    const std::int64_t y = static_cast<std::int64_t>(tile / a.tiles_x) * a.valid_y + dy;
    const std::int64_t x0 = static_cast<std::int64_t>(tile % a.tiles_x) * a.valid_x;
    if (tile >= a.tiles || y >= a.job.ny) continue;
    const std::int64_t left = a.job.in.nx - x0;
    const int end = left < a.valid_x ? static_cast<int>(left) : a.valid_x;
    const float back_again = a.mask || a.offsets == nullptr ? 0.0f : __ldg(a.offsets + tile) * a.sum;
    float* to = a.out + y * a.out_pitch + x0;
    each<L, L::R1>(t, [&](int u, int i, int n) {
      const int dx = static_cast<int>(L::first(t, u, i)) - (a.kernel_nx - 1);
      if (dx < 0 || dx >= end) return;
      float value = (k == 0 ? v[n].x : v[n].y) + back_again;
      if (a.count_blank) value = stored_result(value);
      to[dx] = value;
      if (!isfinite(value)) ++blank;
    });
  }
  if (a.count_blank) count_warp(blank, a.job.blank);
}

/// Columns that are done for one pair before the same ones of the next pair: the kernel's spectrum for them is then
/// still in the L2 cache. With fewer, neighbouring columns meet too late in what one access to memory fetches.
constexpr unsigned kGroup = 32;

template <class L>
__global__ void __launch_bounds__(L::Threads, L::Blocks)
    k_fft_columns(const __grid_constant__ LineArguments a, std::int32_t tile_nx, float2* __restrict__ make) {
  extern __shared__ float2 shared[];
  constexpr unsigned kBlocks = kGroup / L::Beside;
  const unsigned c = threadIdx.x % L::Beside, t = threadIdx.x / L::Beside;
  const unsigned block = blockIdx.x % kBlocks, rest = blockIdx.x / kBlocks, pairs = a.pairs;
  const unsigned x = rest / pairs * kGroup + block * L::Beside + c;
  float2* at = a.memory + static_cast<std::int64_t>(rest % pairs) * L::N * tile_nx + x;
  const auto place = [memory = shared + c](unsigned p) -> float2& { return memory[p * L::Beside]; };
  float2 v[L::R];
  each<L, L::R1>(t, [&](int u, int i, int n) { v[n] = at[L::first(t, u, i) * tile_nx]; });
  forward<L>(v, t, a.column_roots, place);
  if (make != nullptr) {
    each<L, L::RL>(t, [&](int u, int i, int n) { make[L::last(t, u, i) * tile_nx + x] = v[n]; });
    return;
  }
  // The compiler would load the kernel's spectrum before the butterflies, and keep the roots and all addresses of the
  // pixels' loads for what comes, and spill for them: it is to know these pointers after the butterflies alone.
  const float2* roots = a.column_roots;
  const float2* spectrum = a.spectrum + x;
  unsigned stride = static_cast<unsigned>(tile_nx);
  asm volatile("" : "+r"(stride), "+l"(roots), "+l"(spectrum), "+f"(v[0].x), "+f"(v[L::R - 1].y));
  each<L, L::RL>(t, [&](int u, int i, int n) { v[n] = product(v[n], __ldg(spectrum + L::last(t, u, i) * stride)); });
  asm volatile("" : "+r"(stride), "+l"(at));
  back<L>(v, t, roots, place);
  // Rows above the first output hold what wrapped around; nobody reads them.
  const unsigned above = static_cast<unsigned>(a.kernel_ny) - 1;
  each<L, L::R1>(t, [&](int u, int i, int n) {
    const unsigned row = L::first(t, u, i);
    if (row >= above) at[row * stride] = v[n];
  });
}

template <class L>
std::vector<float2> line_roots() {
  std::vector<float2> roots;
  const auto add = [&](int radix, int count) {
    for (int k = 0; k < radix; ++k)
      for (int j = 0; j < count; ++j) {
        const double angle = -6.283185307179586476925286766559 * j * k / (static_cast<double>(radix) * count);
        roots.push_back({static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))});
      }
  };
  add(L::R1, L::M);
  if (L::R3 > 1) add(L::R2, L::R3);
  return roots;
}

template <class L>
void launch_rows(cudaStream_t stream, const LineArguments& a, std::int32_t tile_ny) {
  allow_shared(reinterpret_cast<const void*>(k_fft_rows<L>), L::kBytes);
  k_fft_rows<L><<<a.pairs * tile_ny, L::Threads, L::kBytes, stream>>>(a, tile_ny);
  check_launch("k_fft_rows", stream);
}

template <class L>
void launch_rows_back(cudaStream_t stream, const LineArguments& a, std::int32_t tile_ny) {
  allow_shared(reinterpret_cast<const void*>(k_fft_rows_back<L>), L::kBytes);
  k_fft_rows_back<L><<<a.pairs * a.valid_y, L::Threads, L::kBytes, stream>>>(a, tile_ny);
  check_launch("k_fft_rows_back", stream);
}

template <class L>
void launch_columns(cudaStream_t stream, const LineArguments& a, std::int32_t tile_nx, float2* make) {
  allow_shared(reinterpret_cast<const void*>(k_fft_columns<L>), L::kBytes);
  k_fft_columns<L><<<a.pairs*(tile_nx / L::Beside), L::Threads, L::kBytes, stream>>>(a, tile_nx, make);
  check_launch("k_fft_columns", stream);
}

/// One length: by Rows where it is that of rows, by Columns where it is that of columns.
template <class Rows, class Columns>
constexpr LineVariant line_variant() {
  static_assert(Rows::N == Columns::N && Rows::Beside == 1 && Rows::N % kGroup == 0 && kGroup % Columns::Beside == 0);
  return {Rows::N,
          std::max(Rows::kBytes, Columns::kBytes),
          line_roots<Rows>,
          line_roots<Columns>,
          launch_rows<Rows>,
          launch_rows_back<Rows>,
          launch_columns<Columns>};
}

}  // namespace reber::cuda::fft
