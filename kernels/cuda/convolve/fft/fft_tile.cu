// SPDX-License-Identifier: BSD-3-Clause
// The compiled tile shapes and what they cost.
#include "kernels/cuda/convolve/fft/fft_tile_each.cuh"

namespace reber::cuda {
namespace {

// H200, 16384 x 16384 pixels, kernels of 11 to 63 pixels per side: microseconds that a multiprocessor takes for a pair
// of tiles, blocks on it included; up to a tenth more where the kernel is small and more outputs are stored. Tiles of
// 64 x 64 take 3.3 and are never the cheapest.
const TilePolicy kPolicies[] = {
    {fft::tile_variant_each<fft::TileShape<16, 4, 8, 16, 256, 2>>(), 6.9},
    {fft::tile_variant_each<fft::TileShape<32, 4, 4, 16, 256, 2>>(), 6.95},
    {fft::tile_variant_each<fft::TileShape<32, 4, 8, 16, 512, 1>>(), 15.5},
};

}  // namespace

std::span<const TilePolicy> tile_policies() { return kPolicies; }

}  // namespace reber::cuda
