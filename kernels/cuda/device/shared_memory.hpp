// SPDX-License-Identifier: BSD-3-Clause
// The limit of a kernel's shared memory, which backends that work side by side have in common.
#pragma once

#include <cuda_runtime.h>

#include "kernels/cuda/device/raii.hpp"

namespace reber::cuda {

/// Lets a kernel ask for all shared memory of the current card that its own arrays leave. The limit belongs to the
/// kernel, not to a launch: one that follows the launch would be lowered by another backend's before this one starts.
///   throws DeviceError
template <class... Parameters>
void allow_all_shared(void (*kernel)(Parameters...)) {
  int device = 0, most = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), "cudaDeviceGetAttribute");
  cudaFuncAttributes own{};
  check(cudaFuncGetAttributes(&own, kernel), "cudaFuncGetAttributes");
  const int left = most - static_cast<int>(own.sharedSizeBytes);
  if (own.maxDynamicSharedSizeBytes == left) return;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, left), "cudaFuncSetAttribute", left);
}

}  // namespace reber::cuda
