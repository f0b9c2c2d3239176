// SPDX-License-Identifier: BSD-3-Clause
// Jobs are divided among the cards, rounded up.
#include "app/options/spread.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace reber::app {

Spread spread_over(const std::vector<int>& cards, std::size_t images, int jobs) {
  std::size_t count = std::min(cards.size(), images);
  if (jobs > 0) count = std::min(count, static_cast<std::size_t>(jobs));
  if (count < 2) return {{}, jobs};
  const auto each = static_cast<int>((static_cast<std::size_t>(jobs) + count - 1) / count);
  const std::vector<int> taken(cards.begin(), cards.begin() + static_cast<std::ptrdiff_t>(count));
  return {fmt::format("{}", fmt::join(taken, ",")), each};
}

}  // namespace reber::app
