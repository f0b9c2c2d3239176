// SPDX-License-Identifier: BSD-3-Clause
// Text of both themes is read on whatever it stands on: a contrast of 4.5 at least (WCAG 2.1, 1.4.3).
#include <gtest/gtest.h>

#include <utility>

#include "gui/ui/theme_colours.hpp"

namespace reber::gui {
namespace {

/// `percent` of one colour over another.
unsigned laid_over(unsigned colour, unsigned percent, unsigned under) {
  unsigned made = 0;
  for (const unsigned shift : {16u, 8u, 0u})
    made |= ((colour >> shift & 255u) * percent + (under >> shift & 255u) * (100 - percent)) / 100 << shift;
  return made;
}

class Theme : public ::testing::TestWithParam<std::pair<const char*, ThemeColours>> {};

TEST(Contrast, is_that_of_wcag) {
  EXPECT_NEAR(contrast(0x000000, 0xffffff), 21, 1e-9);
  EXPECT_NEAR(contrast(0x777777, 0xffffff), 4.478, 1e-3);  // the lightest grey but one that is not enough
  EXPECT_DOUBLE_EQ(contrast(0x123456, 0x123456), 1);
  EXPECT_EQ(laid_over(0xff0000, 50, 0x0000ff), 0x7f007fu);
}

TEST_P(Theme, has_text_that_is_read) {
  const ThemeColours& of = GetParam().second;
  const unsigned grab = laid_over(of.grab, of.grab_percent, of.field),
                 held = laid_over(of.grab_active, of.grab_percent, of.field_active);
  for (const unsigned under :
       {of.ground, of.popup, of.field, of.field_hovered, of.field_active, of.header, of.header_hovered,
        of.header_active, of.button, of.button_hovered, of.button_active, of.tab, of.tab_active, of.tab_hovered,
        of.title, of.title_active, of.table_head, grab, held})
    EXPECT_GE(contrast(of.text, under), 4.5) << std::hex << under;
}

TEST_P(Theme, has_hints_that_are_read) {
  const ThemeColours& of = GetParam().second;
  for (const unsigned under : {of.ground, of.popup, of.field, of.tab, of.table_head})
    EXPECT_GE(contrast(of.text_dim, under), 4.5) << std::hex << under;
}

TEST_P(Theme, has_colours_that_are_seen) {
  const ThemeColours& of = GetParam().second;
  for (const unsigned colour : {of.accent, of.good, of.bad, of.warn})
    for (const unsigned under : {of.ground, of.popup}) EXPECT_GE(contrast(colour, under), 4.5) << std::hex << colour;
  EXPECT_GE(contrast(of.plot_selected, of.ground), 3);  // of shapes (1.4.11)
}

INSTANTIATE_TEST_SUITE_P(Themes, Theme,
                         ::testing::Values(std::pair("dark", kDarkColours), std::pair("light", kLightColours)),
                         [](const auto& each) { return each.param.first; });

}  // namespace
}  // namespace reber::gui
