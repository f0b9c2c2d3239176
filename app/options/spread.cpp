// SPDX-License-Identifier: BSD-3-Clause
// Jobs are divided among the cards, rounded up.
#include "app/options/spread.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace reber::app {
namespace {

/// Pixels that pay for the start of one more card, .4 s: the driver starts cards one after the other. One card takes
/// the images of a batch at 30 GB/s. An image of 17 GB takes one card 1.2 s above the start, and two of them .3 s less
/// (H200s of one host, files in memory).
constexpr std::uintmax_t kBytesACard = std::uintmax_t{8} << 30, kImageBytesACard = std::uintmax_t{64} << 30;

std::size_t paid_by(std::uintmax_t bytes, std::uintmax_t a_card) {
  return static_cast<std::size_t>(std::max<std::uintmax_t>(1, bytes / a_card));
}

}  // namespace

std::size_t cards_paid_by_image(std::uintmax_t bytes) { return paid_by(bytes, kImageBytesACard); }

Spread spread_over(const std::vector<int>& cards, std::size_t images, std::uintmax_t bytes, int jobs) {
  std::size_t count = std::min({cards.size(), images, paid_by(bytes, kBytesACard)});
  if (jobs > 0) count = std::min(count, static_cast<std::size_t>(jobs));
  if (count < 2) return {{}, jobs};
  const auto each = static_cast<int>((static_cast<std::size_t>(jobs) + count - 1) / count);
  const std::vector<int> taken(cards.begin(), cards.begin() + static_cast<std::ptrdiff_t>(count));
  return {fmt::format("{}", fmt::join(taken, ",")), each};
}

}  // namespace reber::app
