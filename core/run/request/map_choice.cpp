// SPDX-License-Identifier: BSD-3-Clause
// Words first, then numbers; whatever is left is a path.
#include "core/run/request/map_choice.hpp"

#include <charconv>
#include <cmath>

namespace reber {

MapChoice map_choice(const std::string& text) {
  using Kind = MapChoice::Kind;
  if (text.empty()) return {};
  if (text == "zero") return {Kind::value, 0};
  if (text == "const") return {Kind::clipped, 0};
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stop == end && std::isfinite(value)) return {Kind::value, value};
  return {Kind::map, 0};
}

}  // namespace reber
