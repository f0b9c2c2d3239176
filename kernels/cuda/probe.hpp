// SPDX-License-Identifier: BSD-3-Clause
// Whether the current card runs a kernel.
#pragma once

#include <cuda_runtime_api.h>

namespace reber::cuda {

/// Runs a kernel on the current device. right: whether its result is.
cudaError_t run_probe(bool& right) noexcept;

}  // namespace reber::cuda
