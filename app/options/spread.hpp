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
};

/// Cards whose start one image of so many bytes of pixels pays for; at least one.
[[nodiscard]] std::size_t cards_paid_by_image(std::uintmax_t bytes);

/// At most `jobs` images at a time, 0: as many as serve, on as many of the cards as there are images and jobs, and as
/// the pixels pay for the start of. With fewer than two cards, images or jobs this process works by itself.
///   bytes: of pixels, all images together
[[nodiscard]] Spread spread_over(const std::vector<int>& cards, std::size_t images, std::uintmax_t bytes, int jobs);

}  // namespace reber::app
