// SPDX-License-Identifier: BSD-3-Clause
// How the images of a batch are spread over cards and threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace reber::app {

struct Spread {
  std::string devices;  ///< "0,1": a worker process per card; empty: none
  int lanes = 0;        ///< images in flight in each process; 0: as many as serve
  bool shared = false;  ///< this process alone, whose images the cards share, one image after the other
};

/// Images in flight on one card that so many threads of the host serve.   image_bytes: of one image's pixels
[[nodiscard]] int lanes_of_card(int threads, std::uintmax_t image_bytes);

/// Pixels that so many threads are done with before a card has started.
[[nodiscard]] std::uintmax_t bytes_of_processor(int threads);

/// Cards whose start one image of so many bytes of pixels pays for; at least one.
[[nodiscard]] std::size_t cards_paid_by_image(std::uintmax_t bytes);

/// Whether cards do more where they share each image than where each has some: of few images most cards would have
/// none.
[[nodiscard]] constexpr bool better_shared(std::size_t images, std::size_t cards) {
  return cards > 1 && 2 * images <= cards;
}

/// At most `jobs` images at a time, 0: as many as serve, on as many of the cards as there are images and jobs, and as
/// the pixels pay for the start of; few images are shared by the cards. With fewer than two cards, images or jobs this
/// process works by itself.
///   bytes: of pixels, all images together
[[nodiscard]] Spread spread_over(const std::vector<int>& cards, std::size_t images, std::uintmax_t bytes, int jobs);

/// In words, a line each: what one image and a batch are done on where no option says it.
///   cards: in sight, of a build that can use them
[[nodiscard]] std::string usual_places(std::size_t cards, int threads);

}  // namespace reber::app
