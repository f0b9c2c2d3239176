// SPDX-License-Identifier: BSD-3-Clause
// Jobs are divided among the cards, rounded up.
#include "app/options/spread.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace reber::app {
namespace {

constexpr double kGiB = 1 << 30;

/// n cards take s n + W / n seconds, where each takes s to start, one after the other, and one card W for all pixels:
/// least at n = sqrt(W / s). s is .3 s; one card takes the images of a batch at 26 GB/s, so that W = s at 8 GiB (four
/// H200s of one host, files in memory). One image gains less: its parts are joined.
constexpr double kBytesACard = 8 * kGiB, kImageBytesACard = 64 * kGiB;

std::size_t paid_by(std::uintmax_t bytes, double a_card) {
  return static_cast<std::size_t>(std::max(1.0, std::round(std::sqrt(static_cast<double>(bytes) / a_card))));
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
