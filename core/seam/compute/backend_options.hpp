// SPDX-License-Identifier: BSD-3-Clause
// What a backend is made with.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace reber {

/// A card as the user counts, and how many before it the driver was told not to show.
struct CardNumber {
  int device = 0;
  int hidden = 0;
  bool operator==(const CardNumber&) const = default;
};

struct BackendOptions {
  int device = 0;                        ///< number of the card
  int threads = 0;                       ///< 0: all that the process may use
  std::int64_t device_memory_bytes = 0;  ///< cap on device memory; 0: what is free
  std::string in_place_of = {};          ///< which backend failed before, and how; the backend's words end with it
  int hidden_cards = 0;                  ///< cards before `device` that the driver was told not to show
  std::vector<CardNumber> cards = {};    ///< that share every image, with the memory below each; empty: `device` alone

  /// What the driver, which counts without hidden cards, calls the card.
  [[nodiscard]] int driver_number() const { return device - hidden_cards; }
};

}  // namespace reber
