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

void take_out_own_sidelobes(std::vector<RaisedNoise> raised, std::span<SourceRow> rows, bool peaks) {
  std::ranges::sort(raised, {}, &RaisedNoise::y);
  std::vector<SourceFit*> own(raised.size(), nullptr);
  for (SourceRow& row : rows) {
    if (!row.fit.gaussian) continue;
    const IslandSums& at = row.sums;
    auto one = std::ranges::lower_bound(raised, at.peak_y - kBeside, {}, &RaisedNoise::y);
    for (; one != raised.end() && one->y <= at.peak_y + kBeside; ++one) {
      if (std::abs(one->x - at.peak_x) > kBeside) continue;
      SourceFit*& its = own[static_cast<std::size_t>(one - raised.begin())];
      if (its == nullptr || row.fit.gaussian->component.peak > its->gaussian->component.peak) its = &row.fit;
    }
  }
  for (std::size_t i = 0; i < own.size(); ++i)
    if (own[i] != nullptr) own[i]->quiet = raised[i].quiet, own[i]->quiet_peak = peaks ? raised[i].quiet : 1;
}

}  // namespace reber
