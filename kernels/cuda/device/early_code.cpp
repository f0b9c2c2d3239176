// SPDX-License-Identifier: BSD-3-Clause
// A list that is filled before main and read after.
#include "kernels/cuda/device/early_code.hpp"

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>

namespace reber::cuda {
namespace {

constexpr std::size_t kMost = 64;
std::array<const void*, kMost> kernels{};
std::size_t count = 0;

}  // namespace

void EarlyCode::add(const void* kernel) {
  if (count < kMost) kernels[count++] = kernel;
}

void bring_early_code() noexcept {
  for (std::size_t k = 0; k < count; ++k) {
    cudaFuncAttributes attributes;
    if (cudaFuncGetAttributes(&attributes, kernels[k]) != cudaSuccess) (void)cudaGetLastError();
  }
}

}  // namespace reber::cuda
