// SPDX-License-Identifier: BSD-3-Clause
// A copy by a kernel, for the few bytes that a copy engine would answer late.
#include <cuda_runtime.h>

#include "kernels/cuda/device/early_code.hpp"
#include "kernels/cuda/device/raii.hpp"
#include "kernels/cuda/device/small_copy.hpp"

namespace reber::cuda {
namespace {

constexpr int kThreads = 128;

__global__ void __launch_bounds__(kThreads)
    k_copy_to_pinned(const unsigned char* __restrict__ from, unsigned char* __restrict__ to, int bytes) {
  const auto places = reinterpret_cast<std::uintptr_t>(from) | reinterpret_cast<std::uintptr_t>(to);
  const int words = places % sizeof(unsigned) == 0 ? bytes / static_cast<int>(sizeof(unsigned)) : 0;
  for (int k = threadIdx.x; k < words; k += kThreads)
    reinterpret_cast<unsigned*>(to)[k] = reinterpret_cast<const unsigned*>(from)[k];
  for (int k = words * static_cast<int>(sizeof(unsigned)) + threadIdx.x; k < bytes; k += kThreads) to[k] = from[k];
}

const EarlyCode kEarly(k_copy_to_pinned);

}  // namespace

void copy_to_pinned(cudaStream_t stream, const void* device, void* pinned, std::int64_t bytes) {
  k_copy_to_pinned<<<1, kThreads, 0, stream>>>(static_cast<const unsigned char*>(device),
                                               static_cast<unsigned char*>(pinned), static_cast<int>(bytes));
  check_launch("k_copy_to_pinned", stream);
}

}  // namespace reber::cuda
