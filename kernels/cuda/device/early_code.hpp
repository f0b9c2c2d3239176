// SPDX-License-Identifier: BSD-3-Clause
// Code of kernels that comes to the card before they are launched.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>

namespace reber::cuda {

/// Kernels that nearly every search launches, named once in the file that has them: a constant with static storage.
/// Each kernel's code goes to the card when it is first needed, a third of a millisecond for which a launch waits.
class EarlyCode {
 public:
  template <class... Kernels>
  explicit EarlyCode(Kernels*... kernels) {
    (add(reinterpret_cast<const void*>(kernels)), ...);
  }

  /// Brings the code of all of them to the card that is current. What fails here is told by their launches.
  static void bring() noexcept {
    for (std::size_t k = 0; k < count_; ++k) {
      cudaFuncAttributes attributes;
      if (cudaFuncGetAttributes(&attributes, kernels_[k]) != cudaSuccess) (void)cudaGetLastError();
    }
  }

 private:
  static void add(const void* kernel) {
    if (count_ < kernels_.size()) kernels_[count_++] = kernel;
  }

  // Filled before main, read after.
  static inline std::array<const void*, 64> kernels_{};
  static inline std::size_t count_ = 0;
};

}  // namespace reber::cuda
