// SPDX-License-Identifier: BSD-3-Clause
// Names of the values of a Stokes axis.
#include "core/sky/model/stokes.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace reber {

std::string stokes_word(double value) {
  constexpr std::array kWords = {"V", "U", "Q", "I", "", "RR", "LL", "RL", "LR", "XX", "YY", "XY", "YX"};
  const double at = 4 - std::round(value);
  if (!(at >= 0 && at < kWords.size()) || at == 4) return fmt::format("{:g}", value);
  return kWords[static_cast<std::size_t>(at)];
}

std::string stokes_at(const fits::CardTable& cards, int axis, std::int64_t place) {
  if (!cards.string(fmt::format("CTYPE{}", axis + 1)).value_or("").starts_with("STOKES")) return {};
  const auto number = [&](const char* key, double usual) {
    return cards.number(fmt::format("{}{}", key, axis + 1)).value_or(usual);
  };
  return stokes_word(number("CRVAL", 0) + (static_cast<double>(place) + 1 - number("CRPIX", 0)) * number("CDELT", 1));
}

}  // namespace reber
