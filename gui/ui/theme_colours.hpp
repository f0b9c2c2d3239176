// SPDX-License-Identifier: BSD-3-Clause
// Colours of the two themes, and how far two colours stand apart.
#pragma once

#include <cmath>
#include <cstdint>
#include <initializer_list>

namespace reber::gui {

/// 0xRRGGBB each.
struct ThemeColours {
  unsigned text, text_dim;                         ///< dim: hints, units, what cannot be chosen
  unsigned accent, good, bad, warn;                ///< of texts and lines in panels
  unsigned plot_selected;                          ///< of points and bars in plots
  unsigned ground, popup, line;                    ///< of windows; what separates their parts
  unsigned field, field_hovered, field_active;     ///< what holds a value
  unsigned header, header_hovered, header_active;  ///< headings, chosen rows
  unsigned button, button_hovered, button_active;
  unsigned primary, primary_hovered, on_primary;  ///< the button that a panel is there for, and its text
  unsigned tab, tab_active, tab_hovered, title, title_active, table_head;
  unsigned grab, grab_active;  ///< of sliders, over the field that holds the value
  unsigned grab_percent;       ///< how much of these, and of a bar of progress, is laid over it
};

inline constexpr ThemeColours kDarkColours{
    .text = 0xe3e6ea,
    .text_dim = 0x9aa2ad,
    .accent = 0x4c9be8,
    .good = 0x56b97f,
    .bad = 0xf07167,
    .warn = 0xe9b44c,
    .plot_selected = 0xffd23f,
    .ground = 0x1b1e23,
    .popup = 0x15181c,  // fields stand out of it
    .line = 0x353a43,
    .field = 0x262a31,
    .field_hovered = 0x30353e,
    .field_active = 0x383e49,
    .header = 0x2d3a4a,
    .header_hovered = 0x36485d,
    .header_active = 0x3d5570,
    .button = 0x30363f,
    .button_hovered = 0x3b4450,
    .button_active = 0x2a6398,
    .primary = 0x2a6398,
    .primary_hovered = 0x33709f,
    .on_primary = 0xffffff,
    .tab = 0x22262c,
    .tab_active = 0x33465c,
    .tab_hovered = 0x3d5570,
    .title = 0x22262c,
    .title_active = 0x2d3a4a,
    .table_head = 0x262a31,
    .grab = 0x4c9be8,
    .grab_active = 0x4c9be8,
    .grab_percent = 45,
};

inline constexpr ThemeColours kLightColours{
    .text = 0x1d232b,
    .text_dim = 0x5a636f,
    .accent = 0x1b65b5,
    .good = 0x1c7040,
    .bad = 0xb83227,
    .warn = 0x8a5800,
    .plot_selected = 0xc2410c,
    .ground = 0xf4f5f7,
    .popup = 0xffffff,
    .line = 0xcfd4da,
    .field = 0xffffff,
    .field_hovered = 0xe9eef5,
    .field_active = 0xdde7f3,
    .header = 0xd7e5f5,
    .header_hovered = 0xc5daf1,
    .header_active = 0xb3cfee,
    .button = 0xe2e6eb,
    .button_hovered = 0xd3dbe5,
    .button_active = 0x9cc3ec,
    .primary = 0x1b65b5,
    .primary_hovered = 0x1a5a9f,
    .on_primary = 0xffffff,
    .tab = 0xe6e9ed,
    .tab_active = 0xc5daf1,
    .tab_hovered = 0xb3cfee,
    .title = 0xe6e9ed,
    .title_active = 0xd7e5f5,
    .table_head = 0xe6e9ed,
    .grab = 0x1f6fc4,
    .grab_active = 0x1f6fc4,
    .grab_percent = 45,
};

/// Relative luminance of an sRGB colour, 0 to 1 (WCAG 2.1).
[[nodiscard]] inline double luminance(unsigned colour) {
  const auto part = [colour](unsigned shift) {
    const double value = static_cast<double>(colour >> shift & 255u) / 255;
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * part(16) + 0.7152 * part(8) + 0.0722 * part(0);
}

/// Contrast ratio of two colours, 1 to 21 (WCAG 2.1); text wants 4.5.
[[nodiscard]] inline double contrast(unsigned a, unsigned b) {
  const double of_a = luminance(a) + 0.05, of_b = luminance(b) + 0.05;
  return of_a > of_b ? of_a / of_b : of_b / of_a;
}

}  // namespace reber::gui
