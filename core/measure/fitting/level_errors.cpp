// SPDX-License-Identifier: BSD-3-Clause
// Levels by rows of the image, so that many sources ask few of them.
#include "core/measure/fitting/level_errors.hpp"

#include <algorithm>
#include <cmath>

namespace reber {

void set_level_errors(std::vector<LocalLevel> levels, const std::vector<SourceSums>& sums,
                      std::vector<SourceFit>& fits) {
  if (levels.empty()) return;
  std::ranges::sort(levels, {}, &LocalLevel::y);
  const double reach = std::ranges::max(levels, {}, &LocalLevel::reach_px).reach_px;
  for (std::size_t k = 0; k < fits.size(); ++k) {
    if (!fits[k].gaussian) continue;
    const auto y = static_cast<double>(sums[k].sums.peak_y), x = static_cast<double>(sums[k].sums.peak_x);
    for (auto one = std::ranges::lower_bound(levels, y - reach, {}, &LocalLevel::y);
         one != levels.end() && one->y <= y + reach; ++one)
      fits[k].level_error = std::max(fits[k].level_error, one->error * one->part(std::hypot(one->y - y, one->x - x)));
  }
}

}  // namespace reber
