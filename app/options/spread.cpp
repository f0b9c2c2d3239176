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

/// A megapixel of floats a thread: with fits, a third of the time that a driver takes to start.
constexpr std::uintmax_t kBytesAThread = std::uintmax_t{4} << 20;

/// Lanes that share a card: the next image is read and the last ones written while one computes. The host's part of a
/// small image, fits and files, takes several times as long as the card's, so threads bound the lanes: of 400 images of
/// 2048 x 2048, 16 threads and an H100 all files take 8 lanes 4.1 s, 12 3.7, 16 3.4, 24 3.6; catalogues with fits
/// 8 1.85, 16 1.6; without fits .86 and .91. Of images that fill the reader's rings by themselves a few lanes are
/// enough.
constexpr std::uintmax_t kLeastLanes = 4, kMostLanes = 16, kInFlightBytes = std::uintmax_t{4} << 30;

}  // namespace

int lanes_of_card(int threads, std::uintmax_t image_bytes) {
  const auto held = static_cast<int>(
      std::clamp<std::uintmax_t>(kInFlightBytes / std::max<std::uintmax_t>(image_bytes, 1), kLeastLanes, kMostLanes));
  return std::min(held, std::max(threads, 2));
}

std::uintmax_t bytes_of_processor(int threads) { return static_cast<std::uintmax_t>(threads) * kBytesAThread; }

std::size_t cards_paid_by_image(std::uintmax_t bytes) { return paid_by(bytes, kImageBytesACard); }

Spread spread_over(const std::vector<int>& cards, std::size_t images, std::uintmax_t bytes, int jobs) {
  const auto first = [&](std::size_t number) {
    return fmt::format("{}", fmt::join(cards.begin(), cards.begin() + static_cast<std::ptrdiff_t>(number), ","));
  };
  const std::size_t sharing = std::min(cards.size(), cards_paid_by_image(bytes));
  if (better_shared(images, sharing)) return {first(sharing), 1, true};
  std::size_t count = std::min({cards.size(), images, paid_by(bytes, kBytesACard)});
  if (jobs > 0) count = std::min(count, static_cast<std::size_t>(jobs));
  if (count < 2) return {{}, jobs};
  const auto each = static_cast<int>((static_cast<std::size_t>(jobs) + count - 1) / count);
  return {first(count), each};
}

std::string usual_places(std::size_t cards, int threads) {
  constexpr double kTwo = 2.25;  // where the square root rounds to two
  const std::string processor = threads > 1 ? fmt::format("the processor, {} threads", threads) : "the processor";
  if (cards == 0)
    return fmt::format("  one image: {}\n  a batch: the processor, up to {} images at a time\n", processor, threads);
  const int each = std::max(threads / static_cast<int>(cards), 1);
  const auto more = [&](double a_card) {
    return cards > 1 ? fmt::format("; two cards from {:.0f} GiB on", kTwo * a_card / kGiB) : "";
  };
  return fmt::format(
      "  one image: {} up to {} MiB of pixels, then one card{}\n"
      "  a batch: the same of all its images{}; on a card up to {} images at a time\n",
      processor, bytes_of_processor(threads) >> 20, more(kImageBytesACard), more(kBytesACard), lanes_of_card(each, 0));
}

}  // namespace reber::app
