// SPDX-License-Identifier: BSD-3-Clause
// The compiled tile shapes and what they cost.
#include "kernels/cuda/fft_tile.cuh"

namespace reber::cuda {
namespace {

// H200, 16384 x 16384 pixels: microseconds that a multiprocessor takes for a pair of tiles, blocks on it included.
const TilePolicy kPolicies[] = {
    {fft::tile_variant<fft::TileShape<16, 4, 4, 16, 128, 5>>(), 3.1},
    {fft::tile_variant<fft::TileShape<16, 4, 8, 16, 256, 2>>(), 7.0},
    {fft::tile_variant<fft::TileShape<32, 4, 4, 16, 256, 2>>(), 6.7},
    {fft::tile_variant<fft::TileShape<32, 4, 8, 16, 512, 1>>(), 16.2},
};

}  // namespace

std::span<const TilePolicy> tile_policies() { return kPolicies; }

}  // namespace reber::cuda
