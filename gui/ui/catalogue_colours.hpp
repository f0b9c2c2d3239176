// SPDX-License-Identifier: BSD-3-Clause
// Colours by which catalogues from files are told apart.
#pragma once

#include <array>

namespace reber::gui {

/// As ImU32 (ABGR). They stay apart for colour-blind readers (Okabe and Ito 2008) and from the colours of the sources.
[[nodiscard]] inline unsigned catalogue_colour(int index) {
  constexpr std::array<unsigned, 5> kColours = {0xff009fe6u, 0xff42e4f0u, 0xffa779ccu, 0xff005ed5u, 0xff739e00u};
  return kColours[static_cast<std::size_t>(index) % kColours.size()];
}

}  // namespace reber::gui
