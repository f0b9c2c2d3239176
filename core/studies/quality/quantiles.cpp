// SPDX-License-Identifier: BSD-3-Clause
// Counting by the bits of floats.
#include "core/studies/quality/quantiles.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <map>

namespace reber {
namespace {

constexpr std::uint32_t kSign = 0x80000000U;
constexpr std::size_t kHalf = std::size_t{1} << 16;

/// Rises with the value.
std::uint32_t key_of(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}
float value_of(std::uint32_t key) { return std::bit_cast<float>((key & kSign) != 0 ? key & ~kSign : ~key); }

/// The entry that holds a rank, which becomes that within the entry.
std::size_t entry_of(const std::vector<std::int64_t>& counts, std::int64_t& rank) {
  std::size_t entry = 0;
  while (rank >= counts[entry]) rank -= counts[entry++];
  return entry;
}

}  // namespace

std::vector<double> exact_quantiles(const ValueWalk& walk, std::span<const double> parts) {
  std::vector<std::int64_t> upper(kHalf);
  std::int64_t n = 0;
  walk([&](std::span<const float> values) {
    for (const float value : values)
      if (std::isfinite(value)) ++upper[key_of(value) >> 16], ++n;
  });
  if (n == 0) return std::vector<double>(parts.size(), std::numeric_limits<double>::quiet_NaN());
  std::map<std::size_t, std::vector<std::int64_t>> lower;
  std::vector<std::size_t> entries;
  std::vector<std::int64_t> ranks;
  for (const double part : parts) {
    ranks.push_back(static_cast<std::int64_t>(std::floor(part * static_cast<double>(n - 1))));
    entries.push_back(entry_of(upper, ranks.back()));
    lower.try_emplace(entries.back(), kHalf);
  }
  std::vector<std::vector<std::int64_t>*> wanted(kHalf);
  for (auto& [entry, counts] : lower) wanted[entry] = &counts;
  walk([&](std::span<const float> values) {
    for (const float value : values) {
      if (!std::isfinite(value)) continue;
      const std::uint32_t key = key_of(value);
      if (auto* const counts = wanted[key >> 16]; counts != nullptr) ++(*counts)[key & (kHalf - 1)];
    }
  });
  std::vector<double> out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t low = entry_of(lower[entries[i]], ranks[i]);
    out.push_back(static_cast<double>(value_of(static_cast<std::uint32_t>(entries[i] << 16 | low))));
  }
  return out;
}

}  // namespace reber
