// SPDX-License-Identifier: BSD-3-Clause
// The user's wish to stop, as kernels under way see it.
#pragma once

#include <cuda_runtime_api.h>

#include "core/seam/compute/job.hpp"
#include "kernels/cuda/device/raii.hpp"

namespace reber::cuda {

/// A word of the card's memory, 0 until work is to stop: blocks look at it when they begin, and long ones between their
/// steps. In the host's memory it costs more than half a microsecond per block, one after the other: 100 000 fits took
/// 145 ms in place of 79 (H200). Made once, since making it takes longer than small batches.
class StopFlag {
 public:
  StopFlag();
  [[nodiscard]] const volatile int* word() const { return word_.data(); }

  /// Waits for what the stream holds and asks `job` all the while. Where work is to stop, the word is 1 until the
  /// stream is empty.   throws Cancelled, DeviceError
  void wait(cudaStream_t stream, const Job& job) const;

 private:
  void set(int value) const;

  Stream own_;  ///< its copies overtake the work that is to stop
  PinnedBuffer<int> source_;
  DeviceBuffer<int> word_;
};

}  // namespace reber::cuda
