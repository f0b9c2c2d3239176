// SPDX-License-Identifier: BSD-3-Clause
// Offsets beyond an image, folded to those within it.
#include "core/sky/model/kernel_reach.hpp"

#include <algorithm>

namespace reber {

std::optional<std::int64_t> AxisReach::within(std::int64_t offset) const {
  if (offset >= -limit && offset <= limit) return offset;
  if (beyond == Beyond::lost) return std::nullopt;
  if (beyond == Beyond::last) return offset < 0 ? -limit : limit;
  const std::int64_t rest = ((offset % period) + period) % period;
  return rest <= limit ? rest : rest - period;
}

std::vector<double> AxisReach::folded(const std::vector<double>& weights) const {
  const auto size = static_cast<std::int64_t>(weights.size()), centre = size / 2;
  if (centre <= limit) return weights;
  std::vector<double> left(static_cast<std::size_t>(2 * limit + 1), 0.0);
  for (std::int64_t i = 0; i < size; ++i)
    if (const auto to = within(i - centre))
      left[static_cast<std::size_t>(*to + limit)] += weights[static_cast<std::size_t>(i)];
  return left;
}

}  // namespace reber
