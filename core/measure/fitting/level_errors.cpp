// SPDX-License-Identifier: BSD-3-Clause
// Levels by rows of the image, so that many sources ask few of them.
#include "core/measure/fitting/level_errors.hpp"

#include <algorithm>
#include <cmath>

namespace reber {

void set_level_errors(std::vector<LocalLevel> levels, std::span<SourceRow> rows) {
  if (levels.empty()) return;
  std::ranges::sort(levels, {}, &LocalLevel::y);
  const double reach = std::ranges::max(levels, {}, &LocalLevel::reach_px).reach_px;
  for (SourceRow& row : rows) {
    if (!row.fit.gaussian) continue;
    const auto y = static_cast<double>(row.sums.peak_y), x = static_cast<double>(row.sums.peak_x);
    for (auto one = std::ranges::lower_bound(levels, y - reach, {}, &LocalLevel::y);
         one != levels.end() && one->y <= y + reach; ++one)
      row.fit.level_error = std::max(row.fit.level_error, one->error * one->part(std::hypot(one->y - y, one->x - x)));
  }
}

}  // namespace reber
