// SPDX-License-Identifier: BSD-3-Clause
// Which row is the bright source's own.
#include "core/measure/fitting/raised_noise.hpp"

#include <algorithm>
#include <cstdlib>

namespace reber {
namespace {

/// Brightest pixels of a source, in two passes of the background, may be neighbours.
constexpr std::int64_t kBeside = 1;

}  // namespace

void take_out_own_sidelobes(std::vector<RaisedNoise> raised, const std::vector<SourceSums>& sums,
                            std::vector<SourceFit>& fits, bool peaks) {
  std::ranges::sort(raised, {}, &RaisedNoise::y);
  std::vector<SourceFit*> rows(raised.size(), nullptr);
  for (std::size_t k = 0; k < sums.size(); ++k) {
    if (!fits[k].gaussian) continue;
    const IslandSums& at = sums[k].sums;
    auto one = std::ranges::lower_bound(raised, at.peak_y - kBeside, {}, &RaisedNoise::y);
    for (; one != raised.end() && one->y <= at.peak_y + kBeside; ++one) {
      if (std::abs(one->x - at.peak_x) > kBeside) continue;
      SourceFit*& row = rows[static_cast<std::size_t>(one - raised.begin())];
      if (row == nullptr || fits[k].gaussian->component.peak > row->gaussian->component.peak) row = &fits[k];
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i] != nullptr) rows[i]->quiet = raised[i].quiet, rows[i]->quiet_peak = peaks ? raised[i].quiet : 1;
}

}  // namespace reber
