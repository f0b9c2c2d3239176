// SPDX-License-Identifier: BSD-3-Clause
// Clip and statistics in one pass over a resident plane. A sample tells which pixels every round is sure to keep and
// cannot be a median: these are summed, exactly, and the rest are listed, put in order, and solved on the device. If
// the sample's bounds prove wrong, sift_plane() returns nullopt and the caller uses the histograms of histogram.hpp.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <optional>

#include "core/seam/compute/statistics.hpp"
#include "kernels/cuda/device/plane.hpp"
#include "kernels/cuda/statistics/sample.hpp"
#include "kernels/shared/exact_sums.hpp"
#include "kernels/shared/host_device.hpp"

namespace reber::cuda {

/// Scale of exact sums: values below 2^exponent count in units of 2^(exponent - kCoarseBits), those below
/// 2^(exponent - kTinyBits) in units of 2^(exponent - kFineBits): a float that is not tiny is a whole number of coarse
/// units.
inline constexpr int kCoarseBits = 36, kTinyBits = kCoarseBits - 23, kFineBits = kCoarseBits + 30;

/// What one pass over the pixels finds.
struct Sifted {
  unsigned long long listed, odd;      ///< pixels to be listed (more than the list holds: it was cut), tiny sure ones
  unsigned long long below, above;     ///< sure pixels on either side of the middle
  unsigned long long sum[2];           ///< of the sure and not tiny, coarse units: lower 32 bits and the rest, signed
  unsigned long long squares[2];       ///< their squares in coarse units squared times 2^32, likewise
  unsigned long long squares_rest[2];  ///< what is left of the squares, in coarse units squared
};

/// Sums over a chunk of a list.
struct ChunkSums {
  rules::Int128 coarse, fine;
  rules::Uint128 coarse_squares, fine_squares;
  unsigned inexact, padding[3];  ///< not 0 where a value was too bright or too tiny for the units
};

/// Of n > 0 values whose sums these are.
[[nodiscard]] REBER_HD rules::MeanStd mean_and_std(const ChunkSums& sums, std::int64_t n, int exponent) {
  using Wide = rules::WideInt<4>;
  const rules::Int128 sum = sums.coarse * (1ll << (kFineBits - kCoarseBits)) + sums.fine;
  const Wide size = rules::shifted<4>(static_cast<rules::Uint128>(sum < 0 ? -sum : sum), 0);
  Wide squares = rules::shifted<4>(sums.coarse_squares, 2 * (kFineBits - kCoarseBits));
  rules::add(squares, rules::shifted<4>(sums.fine_squares, 0));
  return rules::mean_and_std(static_cast<std::uint64_t>(n), sum < 0 ? rules::negated(size) : size, squares,
                             exponent - kFineBits);
}

struct SiftAnswer {
  ClipStatistics clip;  ///< after 0 rounds: plain statistics
  double min = 0, max = 0;
  std::int64_t finite = 0;
  bool exact = false;  ///< else nothing of this may be used
};

/// Bins that listed pixels are counted in, in the order of their values: the bracket's outside and its middle.
inline constexpr int kTailBins = 2048, kMiddleBins = 2048, kListBins = 2 * kTailBins + kMiddleBins;

/// What comes down.
struct SiftFound {
  Bracket bracket;
  Sifted sifted;
  SiftAnswer answer;
  ChunkSums sums;    ///< of what the clip kept, from which the host makes mean and std
  int exponent;      ///< their scale
  unsigned crowded;  ///< not 0 where a bin has too many keys to be put in order by itself
};

/// What the kernels leave for each other.
struct SiftState : SiftFound {
  SampleState sample;
  alignas(16) unsigned counts[kListBins];
  unsigned filled[kListBins];      ///< keys that are in their bin
  unsigned begins[kListBins + 4];  ///< keys in the bins before each
};

inline constexpr std::int64_t kChunk = 256;

/// keys[i]: key of pixel i of the window; a blank pixel's is above all others.
void all_keys(cudaStream_t stream, const RowWindow& window, std::uint32_t* keys);

/// Room for what the pass over the pixels lists.
struct SiftLists {
  std::uint32_t* keys;
  bool counted;  ///< by bins
  unsigned long long room;
  float* odd;
  unsigned long long odd_room;
};

/// Sums the sure pixels of the window and lists the others' keys and the odd pixels. All in the state but its bracket
/// was 0.
void sift_pixels(cudaStream_t stream, int multiprocessors, const RowWindow& window, SiftState* state,
                 const SiftLists& lists);

/// Count, mean and std of a resident plane, the rest not set. Empty where its pixels differ too much in size.
[[nodiscard]] std::optional<SiftAnswer> sum_plane(const CudaPlane& plane);

/// The clip of a resident plane; max_rounds 0 gives plain statistics. nullopt if the sample's bounds prove wrong.
[[nodiscard]] std::optional<SiftAnswer> sift_plane(const CudaPlane& plane, const ClipOptions& options);

}  // namespace reber::cuda
