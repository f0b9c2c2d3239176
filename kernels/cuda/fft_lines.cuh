// SPDX-License-Identifier: BSD-3-Clause
// Transforms of whole rows and columns of tiles, a line by the T threads that hold R of its values each.
//
// A line of N = R1 R2 R3 values is transformed by butterflies that put their results where their values were, so
// spectra stand in digit-reversed order, the kernel's as well, and nothing is reordered. Between steps values change
// hands through shared memory; the first step reads global memory and the last one writes it.
#pragma once

#include <cmath>

#include "kernels/cuda/fft_lines.hpp"
#include "kernels/cuda/fft_registers.cuh"

namespace reber::cuda::fft {

template <int R1_, int R2_, int R3_, int Threads_, int Columns_, int Blocks_>
struct Line {
  static constexpr int R1 = R1_, R2 = R2_, R3 = R3_, N = R1 * R2 * R3, M = R2 * R3;
  static constexpr int R = R1 > R2 ? (R1 > R3 ? R1 : R3) : (R2 > R3 ? R2 : R3), T = N / R;
  static constexpr int RL = R3 > 1 ? R3 : R2;    ///< of the last step
  static constexpr int Skew = R3 > 1 ? 16 : R2;  ///< one value of padding after so many, against bank conflicts
  static constexpr int Padded = N + N / Skew;
  static constexpr int Threads = Threads_, Lines = Threads / T;                            ///< kernels of rows
  static constexpr int Columns = Columns_, ColumnThreads = Columns * T, Blocks = Blocks_;  ///< kernel of columns
  static constexpr int kRowBytes = Lines * Padded * 8, kColumnBytes = Columns * Padded * 8;
  static_assert(M % Skew == 0 && (R3 == 1 || Skew % R3 == 0));
  static_assert(R % R1 == 0 && R % R2 == 0 && R % R3 == 0 && Threads % T == 0);
  static_assert(T <= 32 || Threads == T, "a line is a part of a warp or a whole block");

  /// Position in the line of value i of thread t's butterfly u, and its place in padded shared memory: a part that
  /// depends on the thread and one that is known at compile time.
  __device__ static unsigned first(unsigned t, unsigned u, unsigned i) { return t + T * u + M * i; }
  __device__ static unsigned second(unsigned t, unsigned u, unsigned i) {
    const unsigned b = t + T * u;
    return b / R3 * M + b % R3 + R3 * i;
  }
  __device__ static unsigned third(unsigned t, unsigned u, unsigned i) { return R3 * (t + T * u) + i; }
  __device__ static unsigned last(unsigned t, unsigned u, unsigned i) {
    return R3 > 1 ? third(t, u, i) : second(t, u, i);
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

/// Turns after a step of `Radix` butterflies with `count` places each: k count + j holds exp(-2 pi i j k / (Radix
/// count)).
template <class L, int Radix, bool Inverse>
__device__ __forceinline__ void turn(float2 (&v)[L::R], const float2* __restrict__ roots, unsigned t, unsigned count) {
#pragma unroll
  for (int u = 0; u < L::R / Radix; ++u) {
    const unsigned j = (t + L::T * u) % count;
#pragma unroll
    for (int k = 1; k < Radix; ++k) v[u * Radix + k] = product<Inverse>(v[u * Radix + k], __ldg(roots + k * count + j));
  }
}

template <class L, int Radix, bool Inverse>
__device__ __forceinline__ void butterflies(float2 (&v)[L::R]) {
#pragma unroll
  for (int u = 0; u < L::R / Radix; ++u) transform<Radix, Inverse>(v, u * Radix);
}

/// Moves values from the places of one step to those of the next. place(position) is in shared memory.
template <class L, int From, int To, class Place, class Sync, class Give, class Take>
__device__ __forceinline__ void exchange(float2 (&v)[L::R], Place place, Sync sync, Give give, Take take) {
#pragma unroll
  for (int u = 0; u < L::R / From; ++u) {
#pragma unroll
    for (int i = 0; i < From; ++i) place(give(u, i)) = v[u * From + i];
  }
  sync();
#pragma unroll
  for (int u = 0; u < L::R / To; ++u) {
#pragma unroll
    for (int i = 0; i < To; ++i) v[u * To + i] = place(take(u, i));
  }
}

/// From the first step's places to the last one's.
template <class L, class Place, class Sync>
__device__ __forceinline__ void forward(float2 (&v)[L::R], unsigned t, const float2* roots, Place place, Sync sync) {
  const auto first = [t](int u, int i) { return L::first_place(t, u, i); };
  const auto second = [t](int u, int i) { return L::second_place(t, u, i); };
  const auto third = [t](int u, int i) { return L::third_place(t, u, i); };
  butterflies<L, L::R1, false>(v);
  turn<L, L::R1, false>(v, roots, t, L::M);
  exchange<L, L::R1, L::R2>(v, place, sync, first, second);
  butterflies<L, L::R2, false>(v);
  if constexpr (L::R3 > 1) {
    turn<L, L::R2, false>(v, roots + L::N, t, L::R3);
    exchange<L, L::R2, L::R3>(v, place, sync, second, third);
    butterflies<L, L::R3, false>(v);
  }
}

/// From the last step's places to the first one's. The last exchange of forward() may have been with the same memory:
/// every value is then put where its own thread took one.
template <class L, class Place, class Sync>
__device__ __forceinline__ void back(float2 (&v)[L::R], unsigned t, const float2* roots, Place place, Sync sync) {
  const auto first = [t](int u, int i) { return L::first_place(t, u, i); };
  const auto second = [t](int u, int i) { return L::second_place(t, u, i); };
  const auto third = [t](int u, int i) { return L::third_place(t, u, i); };
  if constexpr (L::R3 > 1) {
    butterflies<L, L::R3, true>(v);
    exchange<L, L::R3, L::R2>(v, place, sync, third, second);
    turn<L, L::R2, true>(v, roots + L::N, t, L::R3);
  }
  butterflies<L, L::R2, true>(v);
  exchange<L, L::R2, L::R1>(v, place, sync, second, first);
  turn<L, L::R1, true>(v, roots, t, L::M);
  butterflies<L, L::R1, true>(v);
}

template <class L>
__device__ __forceinline__ void line_sync() {
  if constexpr (L::T <= 32)
    __syncwarp();  // the line is this warp's own
  else
    __syncthreads();
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
#pragma unroll
    for (int n = 0; n < L::R; ++n) pixels[n] = __ldg(from + x0 + L::first(t, n / L::R1, n % L::R1));
    if (a.mask || !job.all_finite) {
#pragma unroll
      for (int n = 0; n < L::R; ++n) pixels[n] = convolved(pixels[n], a.mask, blank_seen);
    }
#pragma unroll
    for (int n = 0; n < L::R; ++n) pixels[n] -= offset;
    return;
  }
  const std::int64_t end = needed ? job.in.nx + a.kernel_nx / 2 : x0;
  // Each thread stages what it takes itself: no barrier.
#pragma unroll 1
  for (int n = 0; n < L::R; ++n) {
    const unsigned place = L::first(t, n / L::R1, n % L::R1);
    const std::int64_t x = x0 + place;
    const float pixel = x < end ? convolved(row_value(from, x, job.in.nx, job.boundary), a.mask, blank_seen) : 0.0f;
    staged[place] = pixel - offset;
  }
#pragma unroll
  for (int n = 0; n < L::R; ++n) pixels[n] = staged[L::first(t, n / L::R1, n % L::R1)];
}

template <class L>
__global__ void __launch_bounds__(L::Threads, L::Blocks)
    k_fft_rows(const __grid_constant__ LineArguments a, std::int32_t tile_ny) {
  extern __shared__ float2 shared[];
  const unsigned t = threadIdx.x % L::T, own = threadIdx.x / L::T;
  const int line = static_cast<int>(blockIdx.x * L::Lines + own), lines = a.pairs * tile_ny;
  float2* memory = shared + own * L::Padded;
  const int held = line < lines ? line : lines - 1;
  const int tile = 2 * (a.first + held / tile_ny), row = held % tile_ny;
  float2 v[L::R];
  float pixels[L::R];
  load_row<L>(a, tile, row, t, reinterpret_cast<float*>(memory), pixels);
#pragma unroll
  for (int n = 0; n < L::R; ++n) v[n].x = pixels[n];
  load_row<L>(a, tile + 1, row, t, reinterpret_cast<float*>(memory), pixels);
#pragma unroll
  for (int n = 0; n < L::R; ++n) v[n].y = pixels[n];
  line_sync<L>();  // staged pixels and exchanged values share memory
  forward<L>(
      v, t, a.row_roots, [memory](unsigned p) -> float2& { return memory[p]; }, line_sync<L>);
  if (line >= lines) return;
  float2* to = a.memory + static_cast<std::int64_t>(line) * L::N;
#pragma unroll
  for (int n = 0; n < L::R; ++n) to[L::stored(t, n / L::RL, n % L::RL)] = v[n];
}

template <class L>
__global__ void __launch_bounds__(L::Threads, L::Blocks)
    k_fft_rows_back(const __grid_constant__ LineArguments a, std::int32_t tile_ny) {
  extern __shared__ float2 shared[];
  const unsigned t = threadIdx.x % L::T, own = threadIdx.x / L::T;
  const int line = static_cast<int>(blockIdx.x * L::Lines + own), lines = a.pairs * a.valid_y;
  float2* memory = shared + own * L::Padded;
  const int held = line < lines ? line : lines - 1;
  const int pair = held / a.valid_y, dy = held % a.valid_y;
  const float2* from = a.memory + (static_cast<std::int64_t>(pair) * tile_ny + a.kernel_ny - 1 + dy) * L::N;
  float2 v[L::R];
#pragma unroll
  for (int n = 0; n < L::R; ++n) v[n] = from[L::stored(t, n / L::RL, n % L::RL)];
  back<L>(
      v, t, a.row_roots, [memory](unsigned p) -> float2& { return memory[p]; }, line_sync<L>);
  unsigned blank = 0;
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    const int tile = 2 * (a.first + pair) + k;
    const std::int64_t y = static_cast<std::int64_t>(tile / a.tiles_x) * a.valid_y + dy;
    const std::int64_t x0 = static_cast<std::int64_t>(tile % a.tiles_x) * a.valid_x;
    if (line >= lines || tile >= a.tiles || y >= a.job.ny) continue;
    const std::int64_t left = a.job.in.nx - x0;
    const int end = left < a.valid_x ? static_cast<int>(left) : a.valid_x;
    const float back_again = a.mask || a.offsets == nullptr ? 0.0f : __ldg(a.offsets + tile) * a.sum;
    float* to = a.out + y * a.out_pitch + x0;
#pragma unroll
    for (int n = 0; n < L::R; ++n) {
      const int dx = static_cast<int>(L::first(t, n / L::R1, n % L::R1)) - (a.kernel_nx - 1);
      if (dx < 0 || dx >= end) continue;
      float value = (k == 0 ? v[n].x : v[n].y) + back_again;
      if (a.count_blank) value = stored_result(value);
      to[dx] = value;
      if (!isfinite(value)) ++blank;
    }
  }
  if (a.count_blank) count_warp(blank, a.job.blank);
}

template <class L, bool Make>
__global__ void __launch_bounds__(L::ColumnThreads, L::Blocks)
    k_fft_columns(const __grid_constant__ LineArguments a, std::int32_t tile_nx, float2* __restrict__ make) {
  extern __shared__ float2 shared[];
  const unsigned c = threadIdx.x % L::Columns, t = threadIdx.x / L::Columns;
  const unsigned groups = static_cast<unsigned>(tile_nx) / L::Columns;
  const unsigned pair = blockIdx.x / groups, x = blockIdx.x % groups * L::Columns + c;
  float2* at = a.memory + static_cast<std::int64_t>(pair) * L::N * tile_nx + x;
  const auto place = [memory = shared + c](unsigned p) -> float2& { return memory[p * L::Columns]; };
  const auto sync = [] { __syncthreads(); };
  float2 v[L::R];
#pragma unroll
  for (int n = 0; n < L::R; ++n) v[n] = at[L::first(t, n / L::R1, n % L::R1) * tile_nx];
  forward<L>(v, t, a.column_roots, place, sync);
  if constexpr (Make) {
#pragma unroll
    for (int n = 0; n < L::R; ++n) make[L::last(t, n / L::RL, n % L::RL) * tile_nx + x] = v[n];
  } else {
    // The compiler would load the kernel's spectrum before the butterflies, and keep the roots and all addresses of the
    // pixels' loads for what comes, and spill for them: it is to know these pointers after the butterflies alone.
    const float2* roots = a.column_roots;
    const float2* spectrum = a.spectrum + x;
    unsigned stride = static_cast<unsigned>(tile_nx);
    asm volatile("" : "+r"(stride), "+l"(roots), "+l"(spectrum), "+f"(v[0].x), "+f"(v[L::R - 1].y));
#pragma unroll
    for (int n = 0; n < L::R; ++n) v[n] = product(v[n], __ldg(spectrum + L::last(t, n / L::RL, n % L::RL) * stride));
    asm volatile("" : "+r"(stride), "+l"(at));
    back<L>(v, t, roots, place, sync);
#pragma unroll
    for (int n = 0; n < L::R; ++n) at[L::first(t, n / L::R1, n % L::R1) * stride] = v[n];
  }
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

inline void allow_shared(const void* kernel, int bytes) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), "cudaFuncSetAttribute");
}

template <class L>
void launch_rows(cudaStream_t stream, const LineArguments& a, std::int32_t tile_ny) {
  allow_shared(reinterpret_cast<const void*>(k_fft_rows<L>), L::kRowBytes);
  k_fft_rows<L><<<(a.pairs * tile_ny + L::Lines - 1) / L::Lines, L::Threads, L::kRowBytes, stream>>>(a, tile_ny);
  check_launch("k_fft_rows", stream);
}

template <class L>
void launch_rows_back(cudaStream_t stream, const LineArguments& a, std::int32_t tile_ny) {
  allow_shared(reinterpret_cast<const void*>(k_fft_rows_back<L>), L::kRowBytes);
  k_fft_rows_back<L><<<(a.pairs * a.valid_y + L::Lines - 1) / L::Lines, L::Threads, L::kRowBytes, stream>>>(a, tile_ny);
  check_launch("k_fft_rows_back", stream);
}

template <class L>
void launch_columns(cudaStream_t stream, const LineArguments& a, std::int32_t tile_nx, float2* make) {
  const auto kernel = make != nullptr ? k_fft_columns<L, true> : k_fft_columns<L, false>;
  allow_shared(reinterpret_cast<const void*>(kernel), L::kColumnBytes);
  kernel<<<a.pairs*(tile_nx / L::Columns), L::ColumnThreads, L::kColumnBytes, stream>>>(a, tile_nx, make);
  check_launch("k_fft_columns", stream);
}

template <class L>
constexpr LineVariant line_variant() {
  return {L::N,
          L::kRowBytes > L::kColumnBytes ? L::kRowBytes : L::kColumnBytes,
          line_roots<L>,
          launch_rows<L>,
          launch_rows_back<L>,
          launch_columns<L>};
}

}  // namespace reber::cuda::fft
