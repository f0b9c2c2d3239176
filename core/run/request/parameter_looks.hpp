// SPDX-License-Identifier: BSD-3-Clause
// Short words for the ranges and looks of rows.
#pragma once

#include <string_view>

#include "core/run/request/parameter.hpp"

namespace reber::looks {

constexpr Range from_to(double low, double high) { return {.low = low, .high = high}; }

constexpr Look slider(double low, double high, std::string_view format, std::string_view empty = {}) {
  return {Look::Kind::slider, low, high, format, empty};
}
constexpr Look log_slider(double low, double high, std::string_view format) {
  return {Look::Kind::log_slider, low, high, format};
}
constexpr Look text(std::string_view hint) { return {.kind = Look::Kind::text, .empty = hint}; }
inline constexpr Look kChoice{.kind = Look::Kind::choice};
inline constexpr Look kCheck{.kind = Look::Kind::check};
constexpr Look more(Look look) {
  look.more = true;
  return look;
}

}  // namespace reber::looks
