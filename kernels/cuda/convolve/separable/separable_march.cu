// SPDX-License-Identifier: BSD-3-Clause
// Separable convolution of images without blank pixels by marching warps, each by itself: separable_march.cuh. The same
// sums in the same order as separable.cu.
#include <cuda_runtime.h>

#include <algorithm>

#include "kernels/cuda/convolve/march/march_convolver.cuh"
#include "kernels/cuda/convolve/separable/separable.hpp"
#include "kernels/cuda/convolve/separable/separable_each.hpp"
#include "kernels/cuda/convolve/separable/separable_march.cuh"
#include "kernels/cuda/convolve/separable/separable_march.hpp"
#include "kernels/cuda/convolve/separable/separable_plain.cuh"

namespace reber::cuda {
namespace {

using namespace separable;

// H200, 16384 x 16384, in ms, the ring of separable.cu in brackets (bench/notes/direct_and_separable.md): 17 taps 0.65
// (0.72), 25 0.69 (0.93), 33 0.75 (1.07), 49 1.09 (1.40), 65 1.43 (1.74). For fewer and for more the ring is as fast or
// faster.
template <int Taps>
struct SeparablePolicy;
template <>
struct SeparablePolicy<17> : SeparableMarch<17, 8, 4, 4, 1, 2> {};
template <>
struct SeparablePolicy<25> : SeparableMarch<25, 4, 4, 4, 2, 3> {};
template <>
struct SeparablePolicy<33> : SeparableMarch<33, 8, 2, 8, 2, 2> {};
template <>
struct SeparablePolicy<49> : SeparableMarch<49, 8, 1, 16, 1, 2> {};
template <>
struct SeparablePolicy<65> : SeparableMarch<65, 8, 1, 16, 1, 2> {};

template <class Policy>
__global__ void __launch_bounds__(Policy::threads, Policy::blocks)
    k_march_separable(const __grid_constant__ ConvolveJob job, const __grid_constant__ MarchGrid grid,
                      const __grid_constant__ MarchTaps<Policy> taps) {
  extern __shared__ float4 march_memory[];
  const WarpMemory memory = warp_memory<Policy>(march_memory);
  constexpr Policy kLayout;
  Feed<Policy, true> feed(job, kLayout, memory.feed);
  unsigned blank = 0;
  const bool padded = taps.ky < Policy::taps || taps.kx < Policy::taps;
  for_each_piece(grid, job.ny, [&](const MarchPiece& piece) {
    const int x0 = piece.strip * Policy::strip + this_warp() * Policy::warp_strip;
    if (x0 >= job.in.nx) return;
    unsigned here = march<Policy>(job, piece, x0, taps, memory, feed);
    if (padded && __any_sync(0xffffffffu, here > 0))
      here = repeat_plainly<Policy::warp_strip, 32>(
          job, job.out, piece, x0, {taps.row + Policy::front + taps.right, taps.column + taps.down, taps.kx, taps.ky});
    blank += here;
  });
  count_warp(blank, job.blank);
}

// ---- host

template <int Taps>
std::unique_ptr<Convolver> make_march(const Context& context, const std::vector<float>& column,
                                      const std::vector<float>& row) {
  using Policy = SeparablePolicy<Taps>;
  MarchTaps<Policy> taps;
  taps.ky = static_cast<int>(column.size());
  taps.kx = static_cast<int>(row.size());
  taps.down = Taps / 2 - taps.ky / 2;
  taps.right = Taps / 2 - taps.kx / 2;
  std::copy(row.begin(), row.end(), taps.row + Policy::front + taps.right);
  std::copy(column.begin(), column.end(), taps.column + taps.down);
  return std::make_unique<MarchConvolver<Policy, MarchTaps<Policy>>>(
      context, "k_march_separable", k_march_separable<Policy>, taps,
      "separable, rows and columns in one march, " + std::to_string(taps.kx) + " and " + std::to_string(taps.ky) +
          " taps, made for " + std::to_string(Taps) + " (a ring of rows where pixels are blank)");
}

template <int Taps, int... Larger>
std::unique_ptr<Convolver> make_smallest(const Context& context, const std::vector<float>& column,
                                         const std::vector<float>& row) {
  if constexpr (sizeof...(Larger) > 0) {
    if (std::max(column.size(), row.size()) > Taps) return make_smallest<Larger...>(context, column, row);
  }
  return make_march<Taps>(context, column, row);
}

/// How a march for so many taps fits card and image.
struct MarchFit {
  bool memory = false;   ///< the card has shared memory for a block
  std::int64_t all = 0;  ///< rows of all strips
  std::int64_t at_once = 0;

  /// Whether marches are long beside the rows that they repeat. H200, in ms, the ring's in brackets: 33 taps at
  /// 4096 x 4096, 124 rows, 0.086 (0.082), at 8192 x 8192, 496 rows, 0.230 (0.281); 65 taps, 248 and 993 rows,
  /// 0.172 (0.123) and 0.428 (0.446).
  [[nodiscard]] bool long_enough(std::int64_t taps) const { return all >= 12 * taps * at_once; }
  /// What the rows that marches repeat add to the cost of the others.
  [[nodiscard]] double repeated(std::int64_t taps) const {
    return static_cast<double>(taps * at_once) / static_cast<double>(std::max<std::int64_t>(all, 1));
  }
};

template <int Taps, int... Larger>
MarchFit fit_of(const DeviceInfo& device, std::int64_t taps, Shape image) {
  if constexpr (sizeof...(Larger) > 0) {
    if (taps > Taps) return fit_of<Larger...>(device, taps, image);
  }
  using Policy = SeparablePolicy<Taps>;
  const std::int64_t strips = (image.nx + Policy::strip - 1) / Policy::strip;
  return {device.shared_bytes >= Policy::bytes, strips * image.ny,
          std::int64_t{Policy::blocks} * device.multiprocessors};
}

}  // namespace

VariantQuote quote_separable_march(const DeviceInfo& device, const ConvolutionSpec& spec, Shape image) {
  const Shape kernel = spec.kernel.shape;
  const std::int64_t taps = std::max(kernel.ny, kernel.nx);
  VariantQuote quote;
  quote.reason = no_dense_taps(spec.kernel);
  if (!quote.reason.empty()) return quote;
  // 16 taps across, 1 along x cost little more than 16 and 16; beyond that, zeros cost what taps cost.
  if (taps <= 9 || taps > 65 || (taps > 17 && 4 * taps > 3 * (kernel.ny + kernel.nx))) {
    quote.reason = std::to_string(kernel.nx) + " and " + std::to_string(kernel.ny) +
                   " taps; marches take 10 to 65, about as many each way";
    return quote;
  }
  const MarchFit fit = fit_of<17, 25, 33, 49, 65>(device, taps, image);
  if (!fit.memory) {
    quote.reason = "the device's shared memory is too small for a block of marches";
    return quote;
  }
  quote = fused_quote(device, kernel, image);
  if (!fit.long_enough(taps)) {
    quote.cost_ms *= 1 + fit.repeated(taps);
    quote.reason += ", marches short beside the rows that they repeat";
  }
  return quote;
}

std::unique_ptr<Convolver> make_separable_march(Context& context, const ConvolutionSpec& spec, Shape) {
  const std::vector<float> column = float_weights(spec.kernel.column), row = float_weights(spec.kernel.row);
  return make_sharing(context, column, row, make_smallest<17, 25, 33, 49, 65>(context, column, row));
}

}  // namespace reber::cuda
