// SPDX-License-Identifier: BSD-3-Clause
// A kernel that never ends, for the tests of what notices it.
#include <cuda_runtime.h>

#include "kernels/cuda/device/faults.hpp"

namespace reber::cuda {
namespace {

__device__ volatile int never;

__global__ void k_stuck() {
  while (never == 0) {
  }
}

}  // namespace

void get_stuck() noexcept {
  int device = 0, multiprocessors = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  k_stuck<<<4 * multiprocessors, 1024>>>();  // no room is left beside two of such blocks
}

}  // namespace reber::cuda
