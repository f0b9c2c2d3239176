// SPDX-License-Identifier: BSD-3-Clause
// What a backend can be beside: one that reduces an image where it lies.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/seam/compute/backend.hpp"

namespace reber {

/// A backend that finds the peaks of blocks where its planes lie.
class FindsBlockPeaks {
 public:
  virtual ~FindsBlockPeaks() = default;
  /// Largest finite pixel of each block x block pixels, fewer at the far edges; NaN where there is none (the sign of a
  /// zero is not told). Rows of ceil(nx / block) values, the image's first row first. Empty where it cannot (a plane
  /// that it does not hold whole): the host then reduces.   block: 1 and up   throws as Backend's operations
  [[nodiscard]] virtual std::optional<std::vector<float>> block_peaks(const Plane& plane, std::int64_t block,
                                                                      const Job& job) = 0;
};

}  // namespace reber
