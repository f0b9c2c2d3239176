// SPDX-License-Identifier: BSD-3-Clause
// Lists of planes, read strictly.
#include "core/run/cube/plane_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"

namespace reber {
namespace {

std::int64_t parse_plane(std::string_view word, std::int64_t planes, const std::string& text, const std::string& name) {
  std::int64_t plane = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), plane);
  if (word.empty() || error != std::errc() || end != word.data() + word.size())
    throw InputError(
        fmt::format("{} '{}': expected all, or planes and ranges like 0:7 or 3,8,20:24 (from 0, both "
                    "ends included)",
                    name, printable(text)));
  if (plane < 0 || plane >= planes)
    throw InputError(
        fmt::format("{} '{}': there is no plane {}: planes are 0 to {}", name, printable(text), plane, planes - 1));
  return plane;
}

}  // namespace

std::vector<std::int64_t> parse_planes(const std::string& text, std::int64_t planes, const std::string& name) {
  std::vector<std::int64_t> all;
  std::string_view rest = text;
  for (bool more = true; more;) {
    const std::size_t comma = rest.find(',');
    const std::string_view part = rest.substr(0, comma);
    more = comma != std::string_view::npos;
    if (more) rest.remove_prefix(comma + 1);
    const std::size_t colon = part.find(':');
    std::int64_t first = 0, last = planes - 1;
    if (part != "all") {
      const bool range = colon != std::string_view::npos && part.size() > 1;
      const std::string_view from = range ? part.substr(0, colon) : part, to = range ? part.substr(colon + 1) : part;
      if (!from.empty() || !range) first = parse_plane(from, planes, text, name);
      if (!to.empty() || !range) last = parse_plane(to, planes, text, name);
    }
    if (first > last) throw InputError(fmt::format("{} '{}': {} comes after {}", name, printable(text), first, last));
    for (std::int64_t plane = first; plane <= last; ++plane) all.push_back(plane);
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace reber
