// SPDX-License-Identifier: BSD-3-Clause
// Jobs are divided among the cards, rounded up.
#include "app/options/spread.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace reber::app {
namespace {

/// Pixels that pay for the start of one more card: the driver starts cards one after the other, .4 s each, and one card
/// takes these in .3 s (two H200s of a host, files in memory).
constexpr std::uintmax_t kBytesACard = std::uintmax_t{8} << 30;

}  // namespace

std::size_t cards_paid_by(std::uintmax_t bytes) {
  return static_cast<std::size_t>(std::max<std::uintmax_t>(1, bytes / kBytesACard));
}

Spread spread_over(const std::vector<int>& cards, std::size_t images, std::uintmax_t bytes, int jobs) {
  std::size_t count = std::min({cards.size(), images, cards_paid_by(bytes)});
  if (jobs > 0) count = std::min(count, static_cast<std::size_t>(jobs));
  if (count < 2) return {{}, jobs};
  const auto each = static_cast<int>((static_cast<std::size_t>(jobs) + count - 1) / count);
  const std::vector<int> taken(cards.begin(), cards.begin() + static_cast<std::ptrdiff_t>(count));
  return {fmt::format("{}", fmt::join(taken, ",")), each};
}

}  // namespace reber::app
