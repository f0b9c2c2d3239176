// SPDX-License-Identifier: BSD-3-Clause
// Device memory of this process, kept and lent again.
#pragma once

#include "kernels/shared/memory_blocks.hpp"

namespace reber::cuda {

/// What this process has of a card: made at the first call, and never taken down, since the driver takes all memory
/// back by itself. Pieces come from cudaMalloc, which takes 0.1 ms; the first memory out of a pool of the driver's
/// takes it 7 ms (bench/notes/programs.md). With REBER_CUDA_BUFFERS=apart in the environment each buffer is an
/// allocation of its own, so that compute-sanitizer sees what lies beyond its ends.
MemoryBlocks& card_memory(int device);

}  // namespace reber::cuda
