// SPDX-License-Identifier: BSD-3-Clause
// Pixels above the thresholds, a bit each.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "kernels/cuda/islands/label.hpp"

namespace reber::cuda {

/// Sets the masks of rows [y0, y0 + ny): S/N > flood, S/N > seed.
void threshold_mask(cudaStream_t stream, const RowWindow& window, const BackgroundView& background, std::int64_t y0,
                    std::int64_t ny, const DetectOptions& options, BitMask flood, BitMask seed);

}  // namespace reber::cuda
