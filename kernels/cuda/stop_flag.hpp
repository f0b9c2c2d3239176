// SPDX-License-Identifier: BSD-3-Clause
// The user's wish to stop, as kernels under way see it.
#pragma once

#include <cuda_runtime_api.h>

#include "core/base/progress.hpp"
#include "kernels/cuda/raii.hpp"

namespace reber::cuda {

/// A word of the host's memory, 0 until work is to stop. A read of it by the card takes about a microsecond: blocks
/// look at it when they begin, and long ones between their steps.
class StopFlag {
 public:
  StopFlag() : word_(1) { *word_.data() = 0; }
  [[nodiscard]] const volatile int* word() const { return word_.data(); }

  /// Waits for what the stream holds and asks `progress` all the while. Where work is to stop, the word is 1 until the
  /// stream is empty.   throws Cancelled, DeviceError
  void wait(cudaStream_t stream, const Progress& progress) const;

 private:
  PinnedBuffer<int> word_;
};

}  // namespace reber::cuda
