// SPDX-License-Identifier: BSD-3-Clause
// The high-water mark of the card's pool.
#include "kernels/cuda/device/memory_peak.hpp"

#include <cuda_runtime_api.h>

#include "kernels/cuda/device/raii.hpp"

namespace reber::cuda {
namespace {

/// Null where the card has none.
cudaMemPool_t pool_of(int device) {
  int supported = 0;
  check(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, device), "cudaDeviceGetAttribute");
  cudaMemPool_t pool = nullptr;
  if (supported != 0) check(cudaDeviceGetDefaultMemPool(&pool, device), "cudaDeviceGetDefaultMemPool");
  return pool;
}

std::int64_t attribute(cudaMemPool_t pool, cudaMemPoolAttr which) {
  std::uint64_t bytes = 0;
  check(cudaMemPoolGetAttribute(pool, which, &bytes), "cudaMemPoolGetAttribute");
  return static_cast<std::int64_t>(bytes);
}

}  // namespace

MemoryPeak memory_peak(int device) {
  const cudaMemPool_t pool = pool_of(device);
  if (pool == nullptr) return {};
  return {attribute(pool, cudaMemPoolAttrUsedMemHigh), attribute(pool, cudaMemPoolAttrUsedMemCurrent)};
}

void forget_memory_peak(int device) {
  const cudaMemPool_t pool = pool_of(device);
  std::uint64_t none = 0;
  if (pool != nullptr)
    check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &none), "cudaMemPoolSetAttribute");
}

}  // namespace reber::cuda
