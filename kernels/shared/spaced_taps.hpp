// SPDX-License-Identifier: BSD-3-Clause
// Separable kernels of five taps with zeros between them, as the a-trous transform has: both backends sum the five
// alone.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/sky/model/kernel.hpp"

namespace reber::rules {

inline constexpr int kSpacedTaps = 5;

/// Taps k at place k * step of a factor of 4 step + 1 weights.
struct SpacedTaps {
  std::int64_t step = 0;
  std::array<float, kSpacedTaps> column{}, row{};
};

/// The taps where both factors have 4 step + 1 weights, step >= 2, and none but zeros between the five.
[[nodiscard]] inline std::optional<SpacedTaps> spaced_taps(const Kernel& kernel) {
  const auto size = static_cast<std::int64_t>(kernel.row.size());
  const std::int64_t step = (size - 1) / (kSpacedTaps - 1);
  if (!kernel.separable() || kernel.column.size() != kernel.row.size() || step < 2 ||
      size != (kSpacedTaps - 1) * step + 1)
    return {};
  SpacedTaps taps{step, {}, {}};
  const auto take = [step, size](const std::vector<double>& from, std::array<float, kSpacedTaps>& to) {
    for (std::int64_t i = 0; i < size; ++i) {
      const double weight = from[static_cast<std::size_t>(i)];
      if (i % step == 0)
        to[static_cast<std::size_t>(i / step)] = static_cast<float>(weight);
      else if (weight != 0)
        return false;
    }
    return true;
  };
  if (!take(kernel.column, taps.column) || !take(kernel.row, taps.row)) return {};
  return taps;
}

}  // namespace reber::rules
