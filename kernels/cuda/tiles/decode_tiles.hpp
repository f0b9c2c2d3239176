// SPDX-License-Identifier: BSD-3-Clause
// RICE_1 tiles on the card: from streams to float pixels.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/shared/rice_warp.hpp"

namespace reber::cuda {

/// What decode_tiles() counts.
struct TileCounts {
  unsigned long long blank = 0, infinite = 0;
  unsigned long long largest = 0;  ///< bits of the largest absolute value
  unsigned long long damaged = 0;  ///< tiles
};

/// Queues the decoding of all tiles into their places. All that `batch` points to is on the device.
///   pixel_bytes: 1, 2 or 4 of a coded integer; 4 for quantised ones   counts: on the device; is added to
void decode_tiles(cudaStream_t stream, const rice::Batch& batch, rice::Kind kind, int pixel_bytes, TileCounts* counts);

}  // namespace reber::cuda
