// SPDX-License-Identifier: BSD-3-Clause
// A few bytes to the host by a kernel: a copy engine begins some microseconds after the last kernel is done.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace reber::cuda {

/// pinned: page-locked host memory; complete once the stream was waited for.
void copy_to_pinned(cudaStream_t stream, const void* device, void* pinned, std::int64_t bytes);

}  // namespace reber::cuda
