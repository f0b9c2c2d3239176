// SPDX-License-Identifier: BSD-3-Clause
// Columns of tiles transformed once and multiplied by the spectra of several kernels: the bits of k_fft_columns for
// each.
#pragma once

#include "kernels/cuda/convolve/fft/fft_lines.cuh"

namespace reber::cuda::fft {

/// Numbers of a block, each thread's in the order of its values: neighbouring threads beside each other.
template <class L>
constexpr int kBlockNumbers = L::R* L::Threads;

/// A block does its columns for all kernels: the spectrum that it keeps is still in the L2 cache when the next kernel's
/// product takes it.
template <class L>
__global__ void __launch_bounds__(L::Threads, L::Blocks)
    k_fft_columns_each(const __grid_constant__ LineArguments a, const __grid_constant__ LineFan fan,
                       std::int32_t tile_nx) {
  extern __shared__ float2 shared[];
  constexpr unsigned kBlocks = kGroup / L::Beside;
  const unsigned c = threadIdx.x % L::Beside, t = threadIdx.x / L::Beside;
  const unsigned block = blockIdx.x % kBlocks, rest = blockIdx.x / kBlocks, pairs = a.pairs;
  const unsigned group = rest / pairs * kBlocks + block, x = group * L::Beside + c;
  const std::int64_t first = static_cast<std::int64_t>(rest % pairs) * L::N * tile_nx + x;
  float2* kept = fan.kept + static_cast<std::int64_t>(blockIdx.x) * kBlockNumbers<L> + threadIdx.x;
  const auto place = [memory = shared + c](unsigned p) -> float2& { return memory[p * L::Beside]; };
  float2 v[L::R];
  {
    const float2* at = a.memory + first;
    each<L, L::R1>(t, [&](int u, int i, int n) { v[n] = at[L::first(t, u, i) * tile_nx]; });
  }
  forward<L>(v, t, a.column_roots, place);
  each<L, L::RL>(t, [&](int, int, int n) { kept[n * L::Threads] = v[n]; });
#pragma unroll 1
  for (int k = 0; k < fan.count; ++k) {
    // As in k_fft_columns: nothing is to be prepared for all kernels and kept.
    unsigned own = t, stride = static_cast<unsigned>(tile_nx);
    const float2* roots = a.column_roots;
    asm volatile("" : "+r"(own), "+r"(stride), "+l"(roots));
    const float2* spectrum = fan.spectra[k] + static_cast<std::int64_t>(group) * kBlockNumbers<L> + threadIdx.x;
    each<L, L::RL>(own, [&](int, int, int n) { v[n] = kept[n * L::Threads]; });
    each<L, L::RL>(own, [&](int, int, int n) { v[n] = product(v[n], __ldg(spectrum + n * L::Threads)); });
    __syncthreads();  // the values of the product before have left shared memory
    back<L>(v, own, roots, place);
    float2* to = fan.memory[k] + first;
    const unsigned above = static_cast<unsigned>(a.kernel_ny) - 1;
    asm volatile("" : "+r"(own), "+r"(stride), "+l"(to));
    each<L, L::R1>(own, [&](int u, int i, int n) {
      const unsigned row = L::first(own, u, i);
      if (row >= above) to[row * stride] = v[n];
    });
  }
}

template <class L>
__global__ void __launch_bounds__(L::Threads)
    k_order_spectrum(const float2* __restrict__ spectrum, std::int32_t tile_nx, float2* __restrict__ ordered) {
  const unsigned c = threadIdx.x % L::Beside, t = threadIdx.x / L::Beside, x = blockIdx.x * L::Beside + c;
  float2* to = ordered + static_cast<std::int64_t>(blockIdx.x) * kBlockNumbers<L> + threadIdx.x;
  each<L, L::RL>(t, [&](int u, int i, int n) {
    to[n * L::Threads] = spectrum[L::last(t, u, i) * static_cast<unsigned>(tile_nx) + x];
  });
}

template <class L>
void launch_columns_each(cudaStream_t stream, const LineArguments& a, std::int32_t tile_nx, const LineFan& fan) {
  allow_shared(reinterpret_cast<const void*>(k_fft_columns_each<L>), L::kBytes);
  k_fft_columns_each<L><<<a.pairs*(tile_nx / L::Beside), L::Threads, L::kBytes, stream>>>(a, fan, tile_nx);
  check_launch("k_fft_columns_each", stream);
}

template <class L>
void launch_order(cudaStream_t stream, const float2* spectrum, std::int32_t tile_nx, float2* ordered) {
  k_order_spectrum<L>
      <<<static_cast<unsigned>(tile_nx / L::Beside), L::Threads, 0, stream>>>(spectrum, tile_nx, ordered);
  check_launch("k_order_spectrum", stream);
}

/// line_variant with the columns' kernel for several spectra.
template <class Rows, class Columns>
constexpr LineVariant line_variant_each() {
  LineVariant variant = line_variant<Rows, Columns>();
  variant.columns_each = launch_columns_each<Columns>;
  variant.order = launch_order<Columns>;
  variant.kept = kBlockNumbers<Columns> / Columns::Beside;
  return variant;
}

}  // namespace reber::cuda::fft
