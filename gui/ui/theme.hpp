// SPDX-License-Identifier: BSD-3-Clause
// Colours and spacing of the interface.
#pragma once

struct ImFont;

namespace reber::gui {

/// Style for the given scale, from a pristine copy each time.
void apply_theme(bool light, double scale);

/// Of the Fonts that were made last (gui/ui/fonts.hpp).
[[nodiscard]] ImFont* bold_font();
[[nodiscard]] ImFont* mono_font();

/// Colours that panels and overlays share, as ImU32.
struct Palette {
  unsigned accent, accent_soft, text, text_dim, good, bad, warn, source, source_selected, halo;
  unsigned primary, primary_hovered, on_primary;  ///< of the button that a panel is there for, and its text
  unsigned plot_selected;  ///< in plots, whose ground is the window's; source_selected is for images
};
[[nodiscard]] const Palette& palette();

}  // namespace reber::gui
