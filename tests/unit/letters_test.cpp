// SPDX-License-Identifier: BSD-3-Clause
// Letters: the glyphs that OpenCV has of the same font, and where they stand on a canvas.
#include "core/show/picture/letters.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <opencv2/imgproc.hpp>
#include <string>

#include "core/show/display/inferno.hpp"
#include "core/show/picture/canvas.hpp"

namespace reber {
namespace {

constexpr Ink kWhite{255, 255, 255, 1};
constexpr Ink kBlack{0, 0, 0, 1};
constexpr int kFont = cv::FONT_HERSHEY_SIMPLEX;
constexpr double kCapitals = 21;  ///< their height at OpenCV's scale 1

int red(const Canvas& canvas, int x, int y) { return canvas.row(y)[x].red; }

struct Box {
  double left = INFINITY, top = INFINITY, right = -INFINITY, bottom = -INFINITY;
  void include(double x, double y) {
    left = std::min(left, x), right = std::max(right, x);
    top = std::min(top, y), bottom = std::max(bottom, y);
  }
};

Box box_of(const std::string& text, double size) {
  Box box;
  for (const Stroke& stroke : text_strokes(text, size))
    for (const Point p : {stroke.from, stroke.to}) box.include(p.x, p.y);
  return box;
}

/// What OpenCV inks of it, from the text's beginning on its base line.
Box opencv_box(const std::string& text, double size) {
  cv::Mat mask(400, 400, CV_8UC1, cv::Scalar(0));
  cv::putText(mask, text, {100, 200}, kFont, size / kCapitals, 255, 1, cv::LINE_8);
  Box box;
  for (int y = 0; y < mask.rows; ++y)
    for (int x = 0; x < mask.cols; ++x)
      if (mask.at<std::uint8_t>(y, x) > 0) box.include(x - 100, y - 200);
  return box;
}

TEST(Letters, EveryGlyphHasTheExtentsThatOpencvGivesIt) {
  constexpr double kSize = 84, kTolerance = 1.01;  // of OpenCV's whole pixels
  for (char c = '!'; c <= '~'; ++c) {
    // OpenCV has other glyphs of six signs; "^" raises what follows.
    if (std::string("#*@\\_`^").find(c) != std::string::npos) continue;
    const std::string text(1, c);
    const Box ours = box_of(text, kSize), theirs = opencv_box(text, kSize);
    EXPECT_NEAR(ours.left, theirs.left, kTolerance) << c;
    EXPECT_NEAR(ours.top, theirs.top, kTolerance) << c;
    EXPECT_NEAR(ours.right, theirs.right, kTolerance) << c;
    EXPECT_NEAR(ours.bottom, theirs.bottom, kTolerance) << c;
  }
}

TEST(Letters, TextIsAsWideAsOpencvsButForItsThickness) {
  for (const std::string text : {"Right ascension (FK5 J2000)", "mJy/beam", "0.0123456789", "label 8, 5 sigma", "W"})
    for (const double size : {9.0, 11.0, 12.6, 40.0}) {
      int below = 0;
      constexpr int kThickness = 1;
      const int wide = cv::getTextSize(text, kFont, size / kCapitals, kThickness, &below).width;
      EXPECT_NEAR(text_width(text, size), wide - kThickness, 0.51) << text << ' ' << size;
    }
  EXPECT_EQ(text_width("", 12), 0);
  EXPECT_TRUE(text_strokes("", 12).empty());
  EXPECT_NEAR(text_width("ab", 21), text_width("a", 21) + text_width("b", 21), 1e-12);
}

TEST(Letters, RaisedLettersAreSmallerAndHigher) {
  const Box plain = box_of("E", 21), raised = box_of("^E", 21);
  EXPECT_DOUBLE_EQ(plain.bottom, 0);
  EXPECT_DOUBLE_EQ(plain.top, -21);
  EXPECT_NEAR(raised.bottom, -0.5 * 21, 1e-12);
  EXPECT_NEAR(raised.bottom - raised.top, 0.68 * 21, 1e-12);
  EXPECT_NEAR(text_width("10^{-3}x", 21), text_width("10", 21) + 0.68 * text_width("-3", 21) + text_width("x", 21),
              1e-9);
  EXPECT_NEAR(text_width("12^hx", 21), text_width("12", 21) + 0.68 * text_width("h", 21) + text_width("x", 21), 1e-9);
  EXPECT_EQ(text_width("^", 21), 0);
}

TEST(Letters, DegreeAndMicroAreKnownAndAllElseIsAQuestionMark) {
  const Box degree = box_of("\xC2\xB0", 21), micro = box_of("\xC2\xB5", 21), u = box_of("u", 21);
  EXPECT_NEAR(degree.right - degree.left, 8, 3);  // a ring at the height of capitals
  EXPECT_NEAR(degree.right - degree.left, degree.bottom - degree.top, 1e-9);
  EXPECT_DOUBLE_EQ(degree.top, -21);
  EXPECT_GT(micro.bottom, 5);  // the letter u with a tail
  EXPECT_NEAR(micro.top, u.top, 1e-9);
  for (const char* unknown : {"\xC3\xA9", "\xE2\x88\x92", "\xF0\x9F\x98\x80", "\t", "\x7F"})
    EXPECT_EQ(text_width(unknown, 21), text_width("?", 21)) << unknown;
  EXPECT_EQ(text_width("\xB0", 21), 0);  // half a character
  EXPECT_EQ(text_width("\xC2", 21), text_width("?", 21));
}

TEST(Letters, LevelStrokesFillRowsWhereverTheTextStands) {
  for (const double y : {40.0, 40.2, 40.5, 40.9}) {
    Canvas canvas(60, 80, kBlack);
    canvas.text({20, y}, "L", 12, kWhite);
    int lowest = 0;
    for (int row = 0; row < 80; ++row)
      if (red(canvas, 28, row) > 0) lowest = row;
    EXPECT_EQ(red(canvas, 28, lowest), 255) << y;
    // Capitals are centred on the point.
    EXPECT_NEAR(lowest, y + 6, 1.5) << y;
  }
}

TEST(Letters, ATextBeginsIsCentredOrEndsAtItsPoint) {
  const double width = text_width("HIH", 14), bearing = text_width("H", 14) * 4 / 22;  // of an H's 22 units
  for (const auto& [align, left] : {std::pair{Align::left, 0.0}, {Align::centre, -width / 2}, {Align::right, -width}}) {
    Canvas canvas(200, 60, kBlack);
    canvas.text({100, 30}, "HIH", 14, kWhite, align);
    Box box;
    for (int y = 0; y < 60; ++y)
      for (int x = 0; x < 200; ++x)
        if (red(canvas, x, y) > 127) box.include(x + 0.5, y + 0.5);
    EXPECT_NEAR(box.left, 100 + left + bearing, 1.5);
    EXPECT_NEAR(box.right, 100 + left + width - bearing, 1.5);
  }
}

TEST(Letters, ATurnedTextIsTheSameUpwards) {
  constexpr int kSide = 120;
  Canvas level(kSide, kSide, kBlack), turned(kSide, kSide, kBlack);
  level.text({20.3, 50.7}, "mJy/beam", 12, kWhite);
  turned.text({50.7, kSide - 20.3}, "mJy/beam", 12, kWhite, Align::left, true);
  int inked = 0;
  for (int y = 0; y < kSide; ++y)
    for (int x = 0; x < kSide; ++x) {
      EXPECT_NEAR(red(level, x, y), red(turned, y, kSide - 1 - x), 1) << x << ' ' << y;
      inked += red(level, x, y) > 0;
    }
  EXPECT_GT(inked, 300);
}

TEST(Inferno, IsOpencvs) {
  cv::Mat steps(1, 256, CV_8UC1), colours;
  for (int i = 0; i < 256; ++i) steps.at<std::uint8_t>(0, i) = static_cast<std::uint8_t>(i);
  cv::applyColorMap(steps, colours, cv::COLORMAP_INFERNO);
  for (int i = 0; i < 256; ++i) {
    const auto bgr = colours.at<cv::Vec3b>(0, i);
    EXPECT_EQ(kInferno[static_cast<std::size_t>(i)], std::uint32_t{bgr[2]} << 16 | std::uint32_t{bgr[1]} << 8 | bgr[0])
        << i;
  }
}

}  // namespace
}  // namespace reber
