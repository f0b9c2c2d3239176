// SPDX-License-Identifier: BSD-3-Clause
// The table of inks.
#include "gui/model/image/overlay_ink.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"

namespace reber::gui {
namespace {

constexpr std::array<float, 3> rgb(unsigned value) {
  return {static_cast<float>(value >> 16 & 255u) / 255, static_cast<float>(value >> 8 & 255u) / 255,
          static_cast<float>(value & 255u) / 255};
}

constexpr std::array kRows{
    InkRow{"sources", "Sources", {rgb(0x56b4e9), 1.6, false}, false},
    InkRow{"negative", "Negative sources", {rgb(0xd55e00), 1.4, false}, false},
    InkRow{"extended", "Extended sources", {rgb(0xf0e442), 1.6, false}, false},
    InkRow{"islands", "Island outlines", {rgb(0xffffff), 1.5, true}, true},
    InkRow{"contours", "Contours", {rgb(0x009e73), 1.4, false}, false},
    InkRow{"below", "Contours below", {rgb(0xe69f00), 1.2, false}, false},
    InkRow{"grid", "Coordinate grid", {rgb(0xcc79a7), 1.0, false}, false},
};

unsigned byte(float v) { return static_cast<unsigned>(std::lround(255 * std::clamp(v, 0.0f, 1.0f))); }

}  // namespace

std::span<const InkRow> ink_rows() { return kRows; }

OverlayInk ink_of(const OverlayInks& set, const std::string& name) {
  if (const auto found = set.find(name); found != set.end()) return found->second;
  const auto row = std::ranges::find(kRows, name, &InkRow::name);
  if (row == kRows.end()) throw InternalError(fmt::format("there is no ink '{}'", name));
  return row->usual;
}

std::uint32_t packed(const OverlayInk& ink, float alpha) {
  return byte(ink.colour[0]) | byte(ink.colour[1]) << 8 | byte(ink.colour[2]) << 16 | byte(alpha) << 24;
}

std::uint64_t look_key(const OverlayInk& ink) {
  const auto width = static_cast<std::uint64_t>(std::lround(100 * std::clamp(ink.width, 0.0, 100.0)));
  return std::uint64_t{packed(ink)} | width << 32 | (ink.automatic ? std::uint64_t{1} << 63 : 0);
}

std::string colour_text(const OverlayInk& ink) {
  return fmt::format("#{:02x}{:02x}{:02x}", byte(ink.colour[0]), byte(ink.colour[1]), byte(ink.colour[2]));
}

std::array<float, 3> colour_from(const std::string& text) {
  const bool digits =
      text.size() == 7 && text[0] == '#' && text.find_first_not_of("0123456789abcdefABCDEF", 1) == std::string::npos;
  if (!digits) throw InputError(fmt::format("a colour such as #56b4e9 was expected, not '{}'", text));
  return rgb(static_cast<unsigned>(std::stoul(text.substr(1), nullptr, 16)));
}

}  // namespace reber::gui
