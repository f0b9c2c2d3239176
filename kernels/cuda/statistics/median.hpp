// SPDX-License-Identifier: BSD-3-Clause
// Median and extremes of a resident plane in one pass. A sample tells between which values the median lies; pixels
// below are counted, those between are listed, and the median is chosen from the list digit by digit.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <optional>

#include "kernels/cuda/device/plane.hpp"
#include "kernels/cuda/statistics/sample.hpp"

namespace reber::cuda {

/// Digits that a key is divided into, the first from its upper bits.
inline constexpr int kDigits = 3, kDigitBits = 11;
inline constexpr int kDigitValues = 1 << kDigitBits;

/// What the kernels leave for each other; all 0 at first.
struct MedianState {
  Bracket bracket;             ///< pixels in its middle are listed
  unsigned long long listed;   ///< more than the list holds: it was cut
  unsigned long long below;    ///< pixels below the middle
  unsigned smallest, largest;  ///< complement of the smallest key, largest key
  std::uint32_t key;           ///< of the upper middle value, as far as it is known
  std::uint32_t lower_key;     ///< of the lower middle value
  unsigned long long rank;     ///< of the upper one among those that share the known digits
  unsigned done[kDigits];      ///< blocks that finished a kernel
  alignas(16) unsigned counts[kDigits][kDigitValues];
  SampleState sample;
};

/// Counts and lists the pixels of the window. extremes: and finds the smallest and the largest.
void list_middle(cudaStream_t stream, int multiprocessors, const RowWindow& window, bool extremes, MedianState* state,
                 std::uint32_t* list, std::int64_t room);
/// A rank that is none.
inline constexpr unsigned long long kNoRank = ~0ull;
/// state->key and lower_key of `finite` pixels where the list holds them; else rank is kNoRank or lower_key 0.
void select_middle(cudaStream_t stream, int multiprocessors, std::int64_t finite, MedianState* state,
                   const std::uint32_t* list, std::int64_t room);

struct MedianAnswer {
  double median = 0, min = 0, max = 0;
};
/// The median of a resident plane's finite pixels; with `extremes` the smallest and the largest too. Empty where the
/// sample misled or too many pixels are alike, and for small or streamed planes.
[[nodiscard]] std::optional<MedianAnswer> median_of_plane(const CudaPlane& plane, bool extremes);

}  // namespace reber::cuda
