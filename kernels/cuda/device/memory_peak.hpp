// SPDX-License-Identifier: BSD-3-Clause
// How much memory of a card this process had at most.
#pragma once

#include <cstdint>

namespace reber::cuda {

struct MemoryPeak {
  std::int64_t in_use = 0;  ///< bytes of buffers that stood at a time
  std::int64_t now = 0;     ///< bytes of buffers that stand
};
/// Since the process began, or since forget_memory_peak(). Buffers of this program alone: the driver's context, and
/// what is kept for later, come on top.
[[nodiscard]] MemoryPeak memory_peak(int device);
void forget_memory_peak(int device);

}  // namespace reber::cuda
