// SPDX-License-Identifier: BSD-3-Clause
// The handler that the program chose.
#include "core/seam/compute/lost_card.hpp"

#include <atomic>
#include <cstdio>

namespace reber {
namespace {

std::atomic<LostCardHandler> chosen{nullptr};

}  // namespace

void on_lost_card(LostCardHandler handler) noexcept { chosen = handler; }

void lose_card(const char* words) noexcept {
  if (const LostCardHandler handler = chosen.load(); handler != nullptr) {
    handler(words);
  } else {
    std::fprintf(stderr, "reber: %s\n", words);
  }
}

}  // namespace reber
