// SPDX-License-Identifier: BSD-3-Clause
// What browsers say to the viewer: what is taken, and what is not.
#include <gtest/gtest.h>

#include "gui/model/browser_message.hpp"

namespace reber::gui {
namespace {

TEST(BrowserMessageTest, reads_input) {
  const auto key = parse_browser_message(R"({"t":"key","key":"Z","code":"KeyY","down":true,"shift":true})");
  ASSERT_TRUE(key);
  EXPECT_EQ(key->event.code, 'Z') << "what the layout writes counts";
  EXPECT_EQ(key->event.mods, 1);
  EXPECT_TRUE(key->event.down);
  const auto wheel = parse_browser_message(R"({"t":"wheel","x":0,"y":-1.5})");
  ASSERT_TRUE(wheel);
  EXPECT_EQ(wheel->event.y, -1.5);
  const auto size = parse_browser_message(R"({"t":"size","width":10,"height":900,"scale":2})");
  ASSERT_TRUE(size);
  EXPECT_EQ(size->width, 200) << "no smaller than the interface can be";
}

TEST(BrowserMessageTest, refuses_what_the_page_does_not_send) {
  for (const char* text :
       {"", "move", "[]", "{}", R"({"t":1})", R"({"t":"came"})", R"({"t":"move","x":1})",
        R"({"t":"move","x":"1","y":2})", R"({"t":"move","x":1e9,"y":2})", R"({"t":"move","x":1e999,"y":2})",
        R"({"t":"button","button":3,"down":true})", R"({"t":"button","button":0.5,"down":true})",
        R"({"t":"text","code":7})", R"({"t":"text","code":1114112})",
        R"({"t":"size","width":100000,"height":10,"scale":1})", R"({"t":"size","width":1000,"height":10,"scale":0})",
        R"({"t":"drawn","frame":-1})", R"({"t":"key","key":"","code":"Launch"})"})
    EXPECT_FALSE(parse_browser_message(text)) << text;
  EXPECT_FALSE(parse_browser_message(std::string(kMostMessageBytes + 1, ' ') + R"({"t":"drive"})"));
}

TEST(BrowserMessageTest, names_keys_as_glfw_does) {
  EXPECT_EQ(key_of_browser("", "ArrowLeft"), 263);
  EXPECT_EQ(key_of_browser("", "F12"), 301);
  EXPECT_EQ(key_of_browser("1", "Numpad1"), 321);
  EXPECT_EQ(key_of_browser("1", "Digit1"), '1');
  EXPECT_EQ(key_of_browser("", "F13"), 0);
  EXPECT_EQ(key_of_browser("", "F1x"), 0);
  EXPECT_EQ(key_of_browser("", ""), 0);
}

}  // namespace
}  // namespace reber::gui
