// SPDX-License-Identifier: BSD-3-Clause
// What of a kernel can touch an image: one wider than the image need not be made whole.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace reber {

/// Along one axis: offsets from a kernel's centre beyond `limit` are moved to one within it that reads the same pixel
/// of every output, or have no weight.
struct AxisReach {
  enum class Beyond { lost, last, repeats };  ///< no pixel stands there; the outermost one does; the image does again
  std::int64_t limit = std::numeric_limits<std::int64_t>::max();
  Beyond beyond = Beyond::lost;
  std::int64_t period = 1;  ///< of what repeats, at most 2 limit

  /// Half of the width, in whole pixels, that is left of a kernel of half width `half`.
  [[nodiscard]] std::int64_t half(std::int64_t half) const { return half < limit ? half : limit; }
  /// The offset within the limit that stands for this one. Empty: none does.
  [[nodiscard]] std::optional<std::int64_t> within(std::int64_t offset) const;
  /// Weights at the offsets -(size/2) ..., those beyond the limit added to the ones that stand for them.
  [[nodiscard]] std::vector<double> folded(const std::vector<double>& weights) const;
};

/// Of both axes. As made: kernels stay whole.
struct KernelReach {
  AxisReach y, x;
};

}  // namespace reber
