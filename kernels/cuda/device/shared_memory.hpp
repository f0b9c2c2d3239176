// SPDX-License-Identifier: BSD-3-Clause
// The limit of a kernel's shared memory, which backends that work side by side have in common.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/cuda/device/raii.hpp"

namespace reber::cuda {

/// Most shared memory that a block may have on this card: what the card says, or the bytes of REBER_CUDA_SHARED where
/// these are fewer, so that tests take one card for a smaller one.
///   throws CardError
[[nodiscard]] std::int64_t most_shared_bytes(int device);

/// Lets a kernel's launches ask for as much shared memory beside its own arrays.
///   throws CardError, also where that is more than most_shared_bytes() of the current card
void allow_shared(const void* kernel, std::int64_t bytes);
template <class... Parameters>
void allow_shared(void (*kernel)(Parameters...), std::int64_t bytes) {
  allow_shared(reinterpret_cast<const void*>(kernel), bytes);
}

/// Lets a kernel ask for all shared memory of the current card that its own arrays leave. The limit belongs to the
/// kernel, not to a launch: one that follows the launch would be lowered by another backend's before this one starts.
///   throws CardError
void allow_all_shared(const void* kernel);
template <class... Parameters>
void allow_all_shared(void (*kernel)(Parameters...)) {
  allow_all_shared(reinterpret_cast<const void*>(kernel));
}

}  // namespace reber::cuda
