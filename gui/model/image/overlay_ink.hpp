// SPDX-License-Identifier: BSD-3-Clause
// Colours and widths of what is drawn on the image.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>

namespace reber::gui {

struct OverlayInk {
  std::array<float, 3> colour{1, 1, 1};  ///< red, green, blue
  double width = 1.4;                    ///< of lines, canvas points at scale 1
  bool automatic = false;                ///< black or white, whichever stands out of the colours of the image
  bool operator==(const OverlayInk&) const = default;
};

/// A kind of line and how it looks until it is set: colours that stay apart for colour-blind readers (Okabe and Ito
/// 2008).
struct InkRow {
  const char* name;   ///< "contours": of settings and scripts
  const char* title;  ///< "Contours"
  OverlayInk usual;
  bool may_be_automatic;
};
[[nodiscard]] std::span<const InkRow> ink_rows();

/// Those that were set; the others look as usual.
using OverlayInks = std::map<std::string, OverlayInk>;
/// throws InternalError for a name that is in no row
[[nodiscard]] OverlayInk ink_of(const OverlayInks& set, const std::string& name);

/// As ImGui packs colours: ABGR.
[[nodiscard]] std::uint32_t packed(const OverlayInk& ink, float alpha = 1);
/// A number that tells two looks apart.
[[nodiscard]] std::uint64_t look_key(const OverlayInk& ink);

/// "#56b4e9".   throws InputError where it is no such text
[[nodiscard]] std::string colour_text(const OverlayInk& ink);
[[nodiscard]] std::array<float, 3> colour_from(const std::string& text);

}  // namespace reber::gui
