// SPDX-License-Identifier: BSD-3-Clause
// Puts the list of a pass in order on the device, without the host knowing how long it is.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "kernels/cuda/statistics/sift.hpp"

namespace reber::cuda {

/// lists.keys in order, by way of `grouped`, which has the same room. Where a bin has too many keys state->crowded is
/// set and they stay as they were.
void order_list(cudaStream_t stream, int multiprocessors, const SiftLists& lists, std::uint32_t* grouped,
                SiftState* state);

}  // namespace reber::cuda
