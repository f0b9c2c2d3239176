// SPDX-License-Identifier: BSD-3-Clause
// A kernel so small that only a broken installation fails it.
#include <cuda_runtime.h>

#include "kernels/cuda/probe.hpp"

namespace reber::cuda {
namespace {

constexpr int kThreads = 64;

__global__ void k_probe(float* out) { out[threadIdx.x] = fmaf(static_cast<float>(threadIdx.x), 2.0f, 1.0f); }

}  // namespace

cudaError_t run_probe(bool& right) noexcept {
  right = false;
  float* device = nullptr;
  cudaError_t code = cudaMalloc(&device, kThreads * sizeof(float));
  if (code != cudaSuccess) return code;
  float host[kThreads] = {};
  k_probe<<<1, kThreads>>>(device);
  code = cudaGetLastError();
  if (code == cudaSuccess) code = cudaMemcpy(host, device, sizeof(host), cudaMemcpyDeviceToHost);
  cudaFree(device);
  right = code == cudaSuccess;
  for (int i = 0; i < kThreads; ++i) right = right && host[i] == 2.0f * static_cast<float>(i) + 1.0f;
  return code;
}

}  // namespace reber::cuda
