// SPDX-License-Identifier: BSD-3-Clause
// Whether runs that a caller gives can be islands.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/seam/compute/detection.hpp"

namespace reber {

/// Number of labels of runs that lie inside the shape, in raster order, without a pixel twice, with labels from 1 to
/// that number, none left out.   returns -1 where they do not
inline std::int64_t count_labels(const LabelRuns& runs) {
  std::vector<std::uint8_t> there;
  std::int64_t count = 0, y = 0, x = 0;
  for (const LabelRuns::Run& run : runs.runs) {
    if (run.y > y) x = 0;
    if (run.y < y || run.x0 < x || run.x1 <= run.x0 || run.x1 > runs.shape.nx || run.y >= runs.shape.ny) return -1;
    if (run.label < 1 || run.label > static_cast<std::int64_t>(runs.runs.size())) return -1;
    y = run.y, x = run.x1;
    there.resize(std::max(there.size(), static_cast<std::size_t>(run.label)));
    std::uint8_t& seen = there[static_cast<std::size_t>(run.label) - 1];
    count += seen == 0 ? 1 : 0;
    seen = 1;
  }
  return count == static_cast<std::int64_t>(there.size()) ? count : -1;
}

}  // namespace reber
