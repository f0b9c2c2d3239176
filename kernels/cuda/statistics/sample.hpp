// SPDX-License-Identifier: BSD-3-Clause
// Two samples of the pixels. A small one is sorted and clipped; a larger one is only counted, against what the small
// one found. They decide which pixels need be looked at closely; no result is taken from them.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "core/seam/compute/statistics.hpp"
#include "kernels/cuda/device/views.hpp"

namespace reber::cuda {

/// Pixels in [low, high] outside of [middle_low, middle_high] are sure: kept in every round, and no median.
struct Bracket {
  float low = 0, middle_low = 0, middle_high = 0, high = 0;
  int exponent = 0;  ///< |low|, |high| < 2^exponent
  bool usable = false;
};

inline constexpr int kSampleBins = 512, kSampleCounts = kSampleBins + 4, kMostSampleBlocks = 512;

/// Pixels of the small sample.
inline constexpr int kSorted = 2048;

/// What the two samples leave for each other.
struct SampleState {
  unsigned done;  ///< blocks that have counted
  /// Of the large sample: pixels in each bin; finite ones, those of them below the bins; the same of those inside the
  /// small one's limits.
  unsigned counts[kSampleCounts];
  double sums[kMostSampleBlocks], squares[kMostSampleBlocks];  ///< of a block's pixels inside, less the median
  alignas(16) std::uint32_t sorted[kSorted];                   ///< keys of the small sample, blank ones last
};

/// bracket: of a clip of the window; for max_rounds 0 only its middle, of the plain median, counts. Not usable where
/// too few pixels are finite or nearly all are alike. Sets `words` 32-bit words from `whole` on, which the state and
/// the bracket are among, to 0 before.
void choose_bracket(cudaStream_t stream, const RowWindow& window, const ClipOptions& options, void* whole, int words,
                    SampleState* state, Bracket* bracket);

/// The same within a state of which both are parts.
template <class State>
void choose_bracket(cudaStream_t stream, const RowWindow& window, const ClipOptions& options, State* state) {
  static_assert(sizeof(State) % 4 == 0);
  choose_bracket(stream, window, options, state, sizeof(State) / 4, &state->sample, &state->bracket);
}

}  // namespace reber::cuda
