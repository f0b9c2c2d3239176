// SPDX-License-Identifier: BSD-3-Clause
// A warp is a block: 32 tiles, usually 32 rows of the image. A tile's bits come one after the other, so its lane's
// chain of instructions is all that there is to wait for; words of the streams are fetched while pixels are decoded.
#include "core/base/error.hpp"
#include "kernels/cuda/device/raii.hpp"
#include "kernels/cuda/device/views.hpp"
#include "kernels/cuda/device/warp.cuh"
#include "kernels/cuda/tiles/decode_tiles.hpp"

namespace reber::cuda {
namespace {

using rice::Kind;

template <class Pixel, Kind kind>
__global__ void __launch_bounds__(rice::kLanes) k_decode_tiles(const rice::Batch batch, TileCounts* counts) {
  static_assert(rice::kLanes == 32 && rice::kTogether == 32, "a lane per tile, and one per pixel");
  __shared__ rice::WarpMemory memory;
  const int lane = static_cast<int>(threadIdx.x);
  rice::Lane<Pixel> tile(batch, memory, static_cast<std::int64_t>(blockIdx.x) * rice::kLanes + lane, lane);
  rice::Seen seen;
  while (__any_sync(kWholeWarp, tile.left())) {
    tile.decode(batch, memory, lane);
    __syncwarp();
#pragma unroll 4
    for (int of = 0; of < rice::kLanes; ++of) rice::store<Pixel, kind>(batch, memory, of, lane, seen);
    __syncwarp();
  }
  count_warp(seen.blank, &counts->blank);
  count_warp(seen.infinite, &counts->infinite);
  count_warp(tile.damaged() ? 1 : 0, &counts->damaged);
  const std::uint32_t largest = warp_max(__float_as_uint(seen.largest));
  if (lane == 0) atomicMax(&counts->largest, static_cast<unsigned long long>(largest));
}

template <class Pixel, Kind kind>
void launch(cudaStream_t stream, const rice::Batch& batch, TileCounts* counts) {
  const std::int64_t blocks = (batch.count + rice::kLanes - 1) / rice::kLanes;
  k_decode_tiles<Pixel, kind><<<static_cast<unsigned>(blocks), rice::kLanes, 0, stream>>>(batch, counts);
  check_launch("k_decode_tiles", stream);
}

}  // namespace

void decode_tiles(cudaStream_t stream, const rice::Batch& batch, Kind kind, int pixel_bytes, TileCounts* counts) {
  if (batch.count == 0) return;
  if (kind == Kind::floats) return launch<std::uint32_t, Kind::floats>(stream, batch, counts);
  if (kind == Kind::doubles) return launch<std::uint32_t, Kind::doubles>(stream, batch, counts);
  if (pixel_bytes == 1) return launch<std::uint8_t, Kind::integers>(stream, batch, counts);
  if (pixel_bytes == 2) return launch<std::uint16_t, Kind::integers>(stream, batch, counts);
  if (pixel_bytes == 4) return launch<std::uint32_t, Kind::integers>(stream, batch, counts);
  throw InternalError("RICE_1 pixels of another size");
}

}  // namespace reber::cuda
