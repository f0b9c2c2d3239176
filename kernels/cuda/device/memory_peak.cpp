// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/cuda/device/memory_peak.hpp"

#include "kernels/cuda/device/card_memory.hpp"

namespace reber::cuda {

MemoryPeak memory_peak(int device) {
  const MemoryBlocks::Totals totals = card_memory(device).totals();
  return {totals.most_lent, totals.lent};
}

void forget_memory_peak(int device) { card_memory(device).forget_most_lent(); }

}  // namespace reber::cuda
