// SPDX-License-Identifier: BSD-3-Clause
// Asked of the runtime; set where it differs.
#include "kernels/cuda/device/shared_memory.hpp"

#include <algorithm>
#include <cstdlib>

#include "core/base/environment.hpp"

namespace reber::cuda {
namespace {

std::int64_t stated_bytes() {
  static const std::int64_t bytes = [] {
    const char* const text = environment(Variable::cuda_shared);
    const std::int64_t value = text != nullptr ? std::atoll(text) : 0;
    return value > 0 ? value : INT64_MAX;
  }();
  return bytes;
}

int current_device() {
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  return device;
}

}  // namespace

std::int64_t most_shared_bytes(int device) {
  int most = 0;
  check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), "cudaDeviceGetAttribute");
  return std::min<std::int64_t>(most, stated_bytes());
}

void allow_shared(const void* kernel, std::int64_t bytes) {
  if (stated_bytes() != INT64_MAX) {  // else the card itself says so
    cudaFuncAttributes own{};
    check(cudaFuncGetAttributes(&own, kernel), "cudaFuncGetAttributes");
    const std::int64_t all = bytes + static_cast<std::int64_t>(own.sharedSizeBytes);
    check(all > most_shared_bytes(current_device()) ? cudaErrorInvalidValue : cudaSuccess, "shared memory", all);
  }
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
        "cudaFuncSetAttribute", bytes);
}

void allow_all_shared(const void* kernel) {
  cudaFuncAttributes own{};
  check(cudaFuncGetAttributes(&own, kernel), "cudaFuncGetAttributes");
  const std::int64_t left = most_shared_bytes(current_device()) - static_cast<std::int64_t>(own.sharedSizeBytes);
  if (own.maxDynamicSharedSizeBytes != left) allow_shared(kernel, left);
}

}  // namespace reber::cuda
