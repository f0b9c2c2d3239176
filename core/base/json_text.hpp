// SPDX-License-Identifier: BSD-3-Clause
// JSON that others wrote: it is parsed here alone, since a copy and a printed form of it call themselves for each
// level.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace reber {

/// Whether lists and objects stand in each other more than 100 deep; nothing that Reber writes does more than 20.
[[nodiscard]] inline bool nests_too_deep(std::string_view json) {
  constexpr int kDeepest = 100;
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '"') quoted = !quoted;
    if (quoted && c == '\\') ++i;
    if (quoted) continue;
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (depth > kDeepest) return true;
  }
  return false;
}

/// returns what is_discarded() for text that is no JSON, or nests too deep
template <class Json>
[[nodiscard]] Json parsed_json(std::string_view text) {
  if (nests_too_deep(text)) return Json(Json::value_t::discarded);
  return Json::parse(text, nullptr, false);
}

/// One value for a message: its first letters, whatever bytes a text in it has.
template <class Json>
[[nodiscard]] std::string shown(const Json& value) {
  constexpr std::size_t kMost = 60;
  const std::string all = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return all.size() > kMost ? all.substr(0, kMost) + "..." : all;
}

}  // namespace reber
