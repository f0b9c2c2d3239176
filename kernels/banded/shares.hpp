// SPDX-License-Identifier: BSD-3-Clause
// What each of several backends takes of an image: as its rate says, and no more than its memory holds.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/seam/compute/backend.hpp"

namespace reber::banded {

/// What a backend can do beside others.
struct Ability {
  double rate = 1;                ///< in any unit that is the same for all
  std::int64_t memory_bytes = 0;  ///< 0: its planes are in host memory, which is no limit here
};

/// Bytes of pixels that a backend loads and measures cells of in a second: by trial, in some ms.
[[nodiscard]] double rate_of(Backend& backend);

/// Of each: the memory that it says to have, and its rate, which is tried where kinds or memories differ.
[[nodiscard]] std::vector<Ability> abilities_of(std::span<const std::unique_ptr<Backend>> members);

/// The part of each in a work that takes so many bytes of memory altogether; the parts' sum is 1. Where all memory is
/// too small the parts are as the memories.
[[nodiscard]] std::vector<double> shares_of(const std::vector<Ability>& members, std::int64_t bytes);

/// The least of the members' memories over all memory; an equal part where memory is no limit.
[[nodiscard]] double least_memory(const std::vector<Ability>& members);

}  // namespace reber::banded
