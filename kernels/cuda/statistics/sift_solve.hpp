// SPDX-License-Identifier: BSD-3-Clause
// The clip of a sorted list, on the device.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "kernels/cuda/statistics/sift.hpp"

namespace reber::cuda {

/// A sorted list of keys, blank ones last, and the odd pixels beside it.
struct SortedList {
  const std::uint32_t* keys = nullptr;
  std::int64_t count = 0;
  const float* odd = nullptr;
  std::int64_t odd_count = 0;
  ChunkSums* chunks = nullptr;  ///< room for chunks_of(list)
  bool whole = false;           ///< all pixels are listed; else state->bracket and state->sifted complete the list
  bool counted_there = false;   ///< state->sifted has the counts, and those here are the most that there is room for
};
[[nodiscard]] REBER_HD std::int64_t chunks_of(const SortedList& list) {
  return (list.count + kChunk - 1) / kChunk + (list.odd_count + kChunk - 1) / kChunk;
}
/// Clips the list and what was sifted.
void solve_list(cudaStream_t stream, const SortedList& list, const ClipOptions& options, SiftState* state);

}  // namespace reber::cuda
