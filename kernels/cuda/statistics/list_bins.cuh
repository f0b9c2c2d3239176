// SPDX-License-Identifier: BSD-3-Clause
// Device code: the bin of a listed pixel. Bins follow each other as values do, so that putting each in order puts all
// in order.
#pragma once

#include "kernels/cuda/device/warp.cuh"
#include "kernels/cuda/statistics/sift.hpp"
#include "kernels/shared/float_keys.hpp"

namespace reber::cuda {

///   below low            | low_middle to high_middle | above high
///   kTailBins, 64 to the | kMiddleBins of one width  | as below, mirrored
///   doubling of distance |                           |
/// The first of the 64 are a thousandth of half the bracket wide, about as many pixels each as there are in a bin of
/// the middle.
class ListBins {
 public:
  __device__ explicit ListBins(const Bracket& bracket)
      : low_(bracket.low),
        high_(bracket.high),
        middle_(bracket.middle_low),
        tail_scale_(2 / (bracket.high - bracket.low)),
        middle_scale_(fminf(kMiddleBins / (bracket.middle_high - bracket.middle_low), kLargest)) {}

  /// Never falls where the value rises: each step rounds so.
  [[nodiscard]] __device__ int of(float pixel) const {
    if (pixel < low_) return kTailBins - 1 - tail_bin((low_ - pixel) * tail_scale_);
    if (pixel > high_) return kTailBins + kMiddleBins + tail_bin((pixel - high_) * tail_scale_);
    return kTailBins + min(static_cast<int>((pixel - middle_) * middle_scale_), kMiddleBins - 1);
  }
  [[nodiscard]] __device__ int of_key(std::uint32_t key) const { return of(__uint_as_float(rules::bits_of_key(key))); }

 private:
  static constexpr float kLargest = 0x1p120f, kNearest = 0x1p-4f;
  static constexpr int kBinBits = 6;

  static __device__ int tail_bin(float distance) {
    return min((__float_as_int(distance + kNearest) - __float_as_int(kNearest)) >> (23 - kBinBits), kTailBins - 1);
  }

  float low_, high_, middle_, tail_scale_, middle_scale_;
};

/// Lanes of a warp whose keys are of one bin, so that one of them asks for all.
struct SameBin {
  unsigned lanes;
  bool first;

  /// By a whole warp; bin: -1 where a lane has no key.
  __device__ explicit SameBin(int bin)
      : lanes(__match_any_sync(kWholeWarp, bin)), first(bin >= 0 && (lanes & before_me()) == 0) {}
  [[nodiscard]] __device__ unsigned count() const { return static_cast<unsigned>(__popc(lanes)); }
  /// Of this lane among them.
  [[nodiscard]] __device__ unsigned rank() const { return static_cast<unsigned>(__popc(lanes & before_me())); }
  [[nodiscard]] __device__ int leader() const { return __ffs(static_cast<int>(lanes)) - 1; }

 private:
  static __device__ unsigned before_me() { return (1u << (threadIdx.x & 31)) - 1; }
};

}  // namespace reber::cuda
