// SPDX-License-Identifier: BSD-3-Clause
// A kernel so small that only a broken installation fails it.
#include <cuda_runtime.h>

#include "kernels/cuda/probe.hpp"

namespace reber::cuda {
namespace {

constexpr int kThreads = 64;

/// In the module itself, so that the probe needs no allocation.
__device__ float probe_output[kThreads];

__global__ void k_probe() { probe_output[threadIdx.x] = fmaf(static_cast<float>(threadIdx.x), 2.0f, 1.0f); }

}  // namespace

cudaError_t run_probe(bool& right) noexcept {
  right = false;
  float host[kThreads] = {};
  k_probe<<<1, kThreads>>>();
  cudaError_t code = cudaGetLastError();
  if (code == cudaSuccess) code = cudaMemcpyFromSymbol(host, probe_output, sizeof(host));
  right = code == cudaSuccess;
  for (int i = 0; i < kThreads; ++i) right = right && host[i] == 2.0f * static_cast<float>(i) + 1.0f;
  return code;
}

}  // namespace reber::cuda
