// SPDX-License-Identifier: BSD-3-Clause
// Device code for kernels whose last block goes through what all of them left.
#pragma once

#include <cuda_runtime.h>

namespace reber::cuda {

/// By a whole block, once for each kernel: whether it is the last one to come here. What the others wrote before is
/// then visible to it, past the multiprocessor's own cache (__ldcg). done: 0 at first.
__device__ inline bool is_last_block(unsigned* done) {
  __threadfence();
  __syncthreads();  // all threads' writes are out
  const bool last = threadIdx.x == 0 && atomicAdd(done, 1u) == gridDim.x - 1;
  return __syncthreads_or(last ? 1 : 0) != 0;
}

}  // namespace reber::cuda
