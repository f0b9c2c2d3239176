// SPDX-License-Identifier: BSD-3-Clause
// Ranges in words.
#include "core/run/request/range.hpp"

#include <fmt/format.h>

#include <cmath>

namespace reber {

bool Range::holds(double value) const {
  if (!(value >= low && value <= high)) return false;
  if (above && value == low) return false;
  return !odd || std::fmod(std::abs(value), 2.0) == 1;
}

std::string Range::text() const {
  std::string text;
  if (low > -kMostNumber && high < kMostNumber)
    text = fmt::format("{}{:.10g} to {:.10g}", above ? "above " : "", low, high);
  else if (low > -kMostNumber)
    text = fmt::format("{} {:.10g}", above ? "above" : "at least", low);
  return odd ? "an odd number, " + text : text;
}

std::string Range::expected(double value) const {
  if (value > high && !(high < kMostNumber && low > -kMostNumber)) return fmt::format("at most {:.10g}", high);
  if (value < low && !(low > -kMostNumber)) return fmt::format("at least {:.10g}", low);
  const std::string words = text();
  return words.empty() ? "a number" : words;
}

}  // namespace reber
