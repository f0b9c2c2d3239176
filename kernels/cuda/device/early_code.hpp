// SPDX-License-Identifier: BSD-3-Clause
// Code of kernels that comes to the card before they are launched.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <atomic>
#include <cstddef>

#include "kernels/cuda/device/watch.hpp"

namespace reber::cuda {

/// What of a run asks for a kernel first.
enum class NeededBy { load, background, islands, fits, products };

/// Kernels that nearly every run launches, named once in the file that has them: a constant with static storage. Each
/// kernel's code goes to the card when it is first needed, a third of a millisecond or more for which a launch waits.
class EarlyCode {
 public:
  template <class... Kernels>
  explicit EarlyCode(NeededBy by, Kernels*... kernels) {
    (add(by, reinterpret_cast<const void*>(kernels)), ...);
  }

  /// Brings the code of all of them to the card that is current, in the order of who needs it, until told to stop. What
  /// fails here is told by their launches.
  static void bring(const std::atomic<bool>& stop) noexcept {
    for (int by = 0; by <= static_cast<int>(NeededBy::products); ++by)
      for (std::size_t k = 0; k < count_ && !stop; ++k) {
        if (static_cast<int>(kernels_[k].by) != by) continue;
        const DriverCall watched("cudaFuncGetAttributes");
        cudaFuncAttributes attributes;
        if (cudaFuncGetAttributes(&attributes, kernels_[k].kernel) != cudaSuccess) (void)cudaGetLastError();
      }
  }

 private:
  struct Kernel {
    NeededBy by;
    const void* kernel;
  };
  static void add(NeededBy by, const void* kernel) {
    if (count_ < kernels_.size()) kernels_[count_++] = {by, kernel};
  }

  // Filled before main, read after.
  static inline std::array<Kernel, 64> kernels_{};
  static inline std::size_t count_ = 0;
};

}  // namespace reber::cuda
