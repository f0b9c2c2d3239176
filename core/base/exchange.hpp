// SPDX-License-Identifier: BSD-3-Clause
// Processes that work on one image side by side and tell each other what they found.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/progress.hpp"

namespace reber {

/// One of several processes that make the same calls in the same order. What each does of a common work is its share;
/// after gather() all have all of it.
class Exchange {
 public:
  virtual ~Exchange() = default;

  [[nodiscard]] virtual std::int64_t index() const = 0;  ///< of this process, from 0
  [[nodiscard]] virtual std::int64_t count() const = 0;  ///< of processes

  /// Hands bytes to all processes and waits for theirs.   returns those of each, in the order of the processes
  ///   throws DeviceError where another process failed or is not heard of; DataError where bytes cannot be handed on;
  ///   Cancelled
  [[nodiscard]] virtual std::vector<std::string> gather(std::string own, const Progress& progress) = 0;

  /// Of `things` in a row, the [first, last) that process `who` does.
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> part(std::int64_t things, std::int64_t who) const {
    return {things * who / count(), things * (who + 1) / count()};
  }
};

}  // namespace reber
