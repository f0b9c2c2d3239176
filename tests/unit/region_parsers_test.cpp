// SPDX-License-Identifier: BSD-3-Clause
// Lines of region files that are no shape: each is refused with its number and the reason, or told as left out.
#include "core/sky/regions/region_parsers.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include "core/base/error.hpp"
#include "core/sky/mask/region_mask.hpp"

namespace reber {
namespace {

struct Refused {
  const char* text;
  const char* reason;
};

template <class Parse>
std::string words_of(const Parse& parse, const std::string& text) {
  try {
    (void)parse(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "it was taken";
}

TEST(RegionParsers, LinesOfDs9ThatAreNoShapeAreRefusedWithTheReason) {
  for (const auto& [text, reason] : {
           Refused{"circle", "circle needs 3 numbers and has 0"},
           Refused{"circle()", "needs 3 numbers"},
           Refused{"circle(1,2", "needs 3 numbers and has 2"},
           Refused{"circle(1,2,0)", "'0' is no size"},
           Refused{"circle(1,2,-3)", "'-3' is no size"},
           Refused{"circle(1,2,nan)", "'nan' is no pixel number"},
           Refused{"circle(1:30,2,3)", "no pixel number"},
           Refused{"circle(p,2,3)", "'p' is no pixel number"},
           Refused{"point(5)", "needs 2 numbers"},
           Refused{"line(1,2,3)", "line needs 4 numbers"},
           Refused{"polygon(1,2,3,4,5)", "polygon needs 6 numbers"},
           Refused{"annulus(n=3)", "annulus needs two radii"},
           Refused{"annulus(1,n=3)", "annulus needs two radii"},
           Refused{"annulus(1,2,3,n=2)", "annulus needs two radii"},
           Refused{"annulus(1,2,4,4)", "inner radius first"},
           Refused{"annulus(1,2,-1,4)", "'-1' is no size"},
           Refused{"ellipse(n=3,1,2,3,4)", "ellipse needs two sizes"},
           Refused{"box(1,2,3,n=2)", "box needs two sizes"},
           Refused{"box(1,2,3,4,x)", "'x' is no angle"},
           Refused{"box(1,2,3,4,n=2,x)", "'x' is no angle"},
           Refused{"panda(1,2,0,360,4,1,2)", "panda needs 8 numbers"},
           Refused{"panda(1,2,0,90,1,3,2,1)", "inner radius first"},
           Refused{"panda(1,2,45,45,1,1,2,1)", "a sector needs two angles"},
           Refused{"panda(1,2,x,45,1,1,2,1)", "'x' is no angle"},
           Refused{"bpanda(1,2,0,90,1,1,1,2,2)", "bpanda needs 10 numbers"},
           Refused{"epanda(1,2,0,90,1,0,0,2,2,1,x)", "'x' is no angle"},
           Refused{"fk5\ncircle(10,20,x)", "'x' is no angle"},
           Refused{"fk5\ncircle(10,95:99,1)", "no angle"},
           Refused{"fk5\nellipse(10,20,3p,4',0)", "in pixels and on the sky both"},
           Refused{"fk5\nannulus(10,20,3',4i)", "in pixels and on the sky both"},
       }) {
    const std::string words = words_of([](const std::string& lines) { return parse_ds9(lines); }, text);
    EXPECT_NE(words.find(reason), std::string::npos) << text << ": " << words;
    EXPECT_EQ(words.rfind(text[0] == 'f' ? "line 2: " : "line 1: ", 0), 0U) << text << ": " << words;
  }
}

TEST(RegionParsers, LinesOfCasaThatAreNoShapeAreRefusedWithTheReason) {
  for (const auto& [text, reason] : {
           Refused{"circle", "a shape and its [ ] were expected"},
           Refused{"circle[[1deg,2deg],3deg", "a shape and its [ ] were expected"},
           Refused{"circle]", "a shape and its [ ] were expected"},
           Refused{"circle[]", "circle needs 2 values and has 0"},
           Refused{"circle[[1deg,2deg]]", "circle needs 3 values"},
           Refused{"circle[[1pix,2pix],0pix]", "'0pix' is no size"},
           Refused{"circle[[1pix,x],2pix]", "'x' is no pixel number"},
           Refused{"circle[[1deg,x],2deg]", "'x' is no angle"},
           Refused{"annulus[[1pix,2pix],[3pix]]", "annulus needs 4 values"},
           Refused{"annulus[[1pix,2pix],[4pix,3pix]]", "inner radius first"},
           Refused{"annulus[[1pix,2pix],[3pix,1deg]]", "in pixels and on the sky both"},
           Refused{"centerbox[[1pix,2pix],[3pix]]", "centerbox needs 4 values"},
           Refused{"rotbox[[1pix,2pix],[3pix,4pix]]", "rotbox needs 5 values"},
           Refused{"ellipse[[1pix,2pix],[3pix,4pix],x]", "'x' is no angle"},
           Refused{"box[[1pix,2pix],[3pix]]", "box needs two corners"},
           Refused{"line[[1pix,2pix],[3pix]]", "line needs 4 values"},
           Refused{"poly[[1pix,2pix],[3pix,4pix],[5pix]]", "poly needs 6 values"},
           Refused{"symbol[[1pix]]", "symbol needs 2 values"},
           Refused{"global coord=", "the frame behind coord= is not known"},
           Refused{"circle[[1deg,2deg],3deg], coord=AZEL", "the frame behind coord= is not known"},
       }) {
    const std::string words = words_of([](const std::string& lines) { return parse_crtf(lines); }, text);
    EXPECT_NE(words.find(reason), std::string::npos) << text << ": " << words;
    EXPECT_EQ(words.rfind("line 1: ", 0), 0U) << text << ": " << words;
  }
}

TEST(RegionParsers, WhatIsNotDrawnIsToldAndLinesWithoutShapesAreNone) {
  const ParsedRegions ds9 = parse_ds9("\r\n# only words\n;;\n-\nglobal color=red\nphysical\n+ruler(1,2,3)\nPOINT(1,2)");
  ASSERT_EQ(ds9.regions.size(), 1U);
  EXPECT_TRUE(ds9.regions[0].physical);
  EXPECT_EQ(ds9.regions[0].places, (std::vector<double>{1, 2}));
  EXPECT_EQ(ds9.skipped.size(), 2U);
  const ParsedRegions crtf = parse_crtf(
      "#CRTFv0\n\n  \nglobal color=red\nann vector[[1deg,2deg],[3deg,4deg]]\n- symbol[[1pix,2pix],.]\n"
      "ann circle[[1pix,2pix],3pix], label='a ring'\n");
  ASSERT_EQ(crtf.regions.size(), 2U);
  EXPECT_TRUE(crtf.regions[0].excluded);
  EXPECT_TRUE(crtf.regions[1].annotation);
  EXPECT_EQ(crtf.regions[1].name, "a ring");
  EXPECT_EQ(crtf.skipped, (std::vector<std::string>{"line 5: vector is not a shape that is drawn here"}));
}

TEST(RegionParsers, ShapesAreStoppedBetween) {
  std::string line = "image", lines = "#CRTFv0\n";
  for (int i = 0; i < 1000; ++i) line += ";circle(5,5,2)", lines += "circle[[5pix,5pix],2pix]\n";
  const std::atomic<bool> stop = true;
  const Progress stopped({}, &stop);
  EXPECT_THROW((void)parse_ds9(line, stopped), Cancelled);
  EXPECT_THROW((void)parse_crtf(lines, stopped), Cancelled);
  EXPECT_THROW((void)read_regions(line, Wcs(), {}, stopped), Cancelled);
  EXPECT_EQ(parse_ds9(line).regions.size(), 1000U);
}

TEST(RegionParsers, TextsOfALineAreTakenBetweenTheirMarks) {
  const auto name = [](const std::string& comment) {
    return parse_ds9("image;circle(1,2,3) # " + comment).regions.at(0).name;
  };
  EXPECT_EQ(name("text={a {b} c}"), "a {b");
  EXPECT_EQ(name("text='it is'"), "it is");
  EXPECT_EQ(name("text=\"it is\""), "it is");
  EXPECT_EQ(name("text=bare"), "");
  EXPECT_EQ(name("text={never closed"), "");
  EXPECT_EQ(name("text="), "");
}

}  // namespace
}  // namespace reber
