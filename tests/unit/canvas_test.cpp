// SPDX-License-Identifier: BSD-3-Clause
// Drawing: what is inked, where, and that it costs what it touches.
#include "core/show/picture/canvas.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/base/error.hpp"
#include "core/show/picture/sky_layout.hpp"
#include "core/show/picture/sky_pixels.hpp"
#include "core/show/picture/source_marks.hpp"
#include "tests/support/stretched.hpp"

namespace reber {
namespace {

constexpr Ink kWhite{255, 255, 255, 1};
constexpr Ink kBlack{0, 0, 0, 1};

int red(const Canvas& canvas, int x, int y) { return canvas.row(y)[x].red; }

DrawnEllipse circle(double x, double y, double radius) { return {{x, y}, radius * radius, 0, radius * radius}; }

/// Sum of the ink on a black canvas, in pixels.
double inked(const Canvas& canvas) {
  double sum = 0;
  for (int y = 0; y < canvas.height(); ++y)
    for (int x = 0; x < canvas.width(); ++x) sum += red(canvas, x, y) / 255.0;
  return sum;
}

TEST(Canvas, ALineCoversItsThicknessTimesItsLength) {
  for (const Point end : {Point{180, 20}, Point{20, 180}, Point{150, 131}, Point{40, 170}}) {
    Canvas canvas(200, 200, kBlack);
    canvas.line({20, 20}, end, kWhite, 3);
    const double length = std::hypot(end.x - 20, end.y - 20), ends = M_PI * 1.5 * 1.5;
    EXPECT_NEAR(inked(canvas), 3 * length + ends, 0.02 * 3 * length) << end.x << ' ' << end.y;
  }
}

TEST(Canvas, AnOutlineLiesWhereTheEllipseIs) {
  // Half axes 30 and 10, turned by 30 degrees.
  const double c = std::cos(M_PI / 6), s = std::sin(M_PI / 6);
  const DrawnEllipse ellipse{{100.5, 80.5}, 900 * c * c + 100 * s * s, 800 * s * c, 900 * s * s + 100 * c * c};
  Canvas canvas(200, 160, kBlack);
  canvas.outlines({ellipse}, kWhite, 2);
  for (int i = 0; i < 64; ++i) {
    const double t = 2 * M_PI * i / 64, u = 30 * std::cos(t), v = 10 * std::sin(t);
    const double x = ellipse.centre.x + c * u - s * v, y = ellipse.centre.y + s * u + c * v;
    EXPECT_GT(red(canvas, static_cast<int>(x), static_cast<int>(y)), 120) << i;
    const auto at = [&](double k) {
      return red(canvas, static_cast<int>(100.5 + k * (x - 100.5)), static_cast<int>(80.5 + k * (y - 80.5)));
    };
    EXPECT_EQ(at(0.5), 0) << i;
    EXPECT_EQ(at(1.5), 0) << i;
  }
  EXPECT_EQ(red(canvas, 100, 80), 0);
}

TEST(Canvas, FilledShapesHaveTheirArea) {
  Canvas discs(100, 100, kBlack);
  discs.disc({50, 50}, 20, kWhite);
  EXPECT_NEAR(inked(discs), M_PI * 400, 8);
  Canvas rectangles(100, 100, kBlack);
  rectangles.fill_rectangle({10.25, 20.5}, 30, 5.5, kWhite);
  EXPECT_NEAR(inked(rectangles), 30 * 5.5, 1);
}

TEST(Canvas, OneLayerIsBlendedOnce) {
  const Ink faint{255, 255, 255, 0.5};
  const DrawnEllipse ring = circle(30.3, 30.2, 10);
  Canvas once(60, 60, kBlack), thrice(60, 60, kBlack);
  once.outlines({ring}, faint, 3);
  thrice.outlines({ring, ring, ring}, faint, 3);
  for (int y = 0; y < 60; ++y) EXPECT_TRUE(std::equal(once.row(y), once.row(y) + 60, thrice.row(y))) << y;
  EXPECT_NEAR(red(once, 40, 30), 128, 1);
  once.outlines({ring}, faint, 3);
  EXPECT_NEAR(red(once, 40, 30), 191, 1);
}

TEST(Canvas, NothingIsDrawnOutsideTheClipOrFromWhatIsNotFinite) {
  const double nan = std::nan(""), huge = std::numeric_limits<double>::max();
  Canvas canvas(50, 50, kBlack);
  canvas.clip({10, 10}, 20, 20);
  canvas.outlines(
      {circle(10, 10, 8), circle(1e9, -1e9, 5), circle(nan, 3, 5), circle(5, 5, nan), circle(20, 20, 1e200)}, kWhite);
  canvas.line({-1e9, 20}, {1e9, 20}, kWhite);
  canvas.line({nan, 20}, {huge, 20}, kWhite);
  canvas.fill_rectangle({-100, -100}, 115, 115, kWhite);
  EXPECT_EQ(red(canvas, 9, 9), 0);
  EXPECT_EQ(red(canvas, 30, 20), 0);
  EXPECT_EQ(red(canvas, 12, 12), 255);
  EXPECT_GT(red(canvas, 29, 20), 100);
}

TEST(Canvas, OutlinesCostWhatTheyTouch) {
  // A canvas of a hundred times the pixels: the same cost for the same outline.
  std::vector<std::int64_t> cost;
  for (const int side : {100, 1000}) {
    Canvas canvas(side, side, kBlack);
    for (int i = 0; i < 500; ++i) canvas.outlines({circle(20 + 60 * (i % 2), 50, 8)}, {255, 255, 255, 0.9});
    cost.push_back(canvas.blended());
  }
  EXPECT_EQ(cost[0], cost[1]);
  EXPECT_LT(cost[1], 500 * 19 * 19);
  // Many in one layer look at each pixel once at most.
  Canvas canvas(1000, 1000, kBlack);
  std::vector<DrawnEllipse> many;
  for (int i = 0; i < 20000; ++i) many.push_back(circle(i % 1000, (i * 37) % 1000, 6));
  canvas.outlines(many, kWhite);
  EXPECT_LE(canvas.blended(), 1000 * 1000);
}

std::uint32_t number(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

/// The rows of a PNG, each with its filter's byte, by zlib's own inflate; checks every chunk's sum.
std::string png_rows(const std::string& png, std::size_t expected) {
  std::string body;
  for (std::size_t at = 8; at < png.size();) {
    const std::size_t length = number(png, at);
    const auto* const start = reinterpret_cast<const Bytef*>(png.data() + at + 4);
    EXPECT_EQ(number(png, at + 8 + length), crc32(0, start, static_cast<uInt>(length + 4)));
    if (png.compare(at + 4, 4, "IDAT") == 0) body += png.substr(at + 8, length);
    at += length + 12;
  }
  std::string rows(expected + 1, '\0');
  auto size = static_cast<uLongf>(rows.size());
  EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(rows.data()), &size, reinterpret_cast<const Bytef*>(body.data()),
                       static_cast<uLong>(body.size())),
            Z_OK);
  rows.resize(size);
  return rows;
}

TEST(Png, AnyNumberOfThreadsGivesTheSameBytesThatInflateToThePixels) {
  for (const auto& [width, height] : {std::pair{1, 1}, std::pair{7, 3}, std::pair{701, 523}}) {
    std::string rgb(static_cast<std::size_t>(3 * width * height), '\0');
    for (std::size_t i = 0; i < rgb.size(); ++i) rgb[i] = static_cast<char>((i * i >> 3) ^ (i >> 9));
    std::vector<Rgb> pixels(rgb.size() / sizeof(Rgb));
    std::memcpy(pixels.data(), rgb.data(), rgb.size());
    const std::string png = encode_png(pixels.data(), width, height, {1, {}});
    EXPECT_EQ(png, encode_png(pixels.data(), width, height, {3, {}}));
    const std::size_t line = 3 * static_cast<std::size_t>(width);
    const std::string rows = png_rows(png, (line + 1) * static_cast<std::size_t>(height));
    ASSERT_EQ(rows.size(), (line + 1) * static_cast<std::size_t>(height));
    for (std::size_t y = 0; y < static_cast<std::size_t>(height); ++y)
      EXPECT_EQ(rows.substr(y * (line + 1) + 1, line), rgb.substr(y * line, line)) << y;
  }
}

TEST(Png, StopsWhenAsked) {
  const std::atomic<bool> stop{true};
  const std::vector<Rgb> pixels(100, Rgb{0, 0, 0});
  EXPECT_THROW((void)encode_png(pixels.data(), 10, 10, {1, Progress({}, &stop)}), Cancelled);
}

TEST(SkyPixels, ReducingKeepsPeaksAndBlanksOfAnyBandAndThreads) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  const Shape shape{11, 7};
  const PixelRows rows = [&](std::int64_t y0, std::int64_t ny, float* out) {
    for (std::int64_t y = y0; y < y0 + ny; ++y)
      for (std::int64_t x = 0; x < shape.nx; ++x) {
        const bool blank = y < 4 && x >= 4;
        *out++ = blank ? (x == 4 ? inf : nan) : x == 0 ? nan : -static_cast<float>(100 * y + x);
      }
  };
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    const Image peaks = reduced_peaks(shape, rows, 4, pool, {});
    ASSERT_EQ(peaks.shape().ny, 3);
    ASSERT_EQ(peaks.shape().nx, 2);
    EXPECT_EQ(peaks.at(2, 0), -1);
    EXPECT_TRUE(std::isnan(peaks.at(2, 1)));
    EXPECT_EQ(peaks.at(1, 1), -404);
    EXPECT_EQ(peaks.at(0, 0), -801);
  }
}

TEST(SkyPixels, ColoursFollowTheStretchExactly) {
  const DisplayLimits limits{-2, 40};
  Image values({1, 5000});
  for (int i = 0; i < 5000; ++i) values.at(0, i) = static_cast<float>(-4 + 0.01 * i);
  values.at(0, 7) = std::nanf("");
  ThreadPool pool(2);
  std::vector<Rgb> colours(5000);
  paint_sky(values.view(), limits, pool, {colours.data(), 5000, 1, 5000});
  for (int i = 0; i < 5000; ++i) {
    const double t = (static_cast<double>(values.at(0, i)) + 2) / 42;
    const Rgb expected =
        i == 7 ? Rgb{146, 146, 150} : sky_colour(static_cast<int>(std::lround(255 * testing::stretched(kSkyCurve, t))));
    EXPECT_EQ(colours[static_cast<std::size_t>(i)], expected) << i;
  }
}

TEST(SkyPixels, AreRepeatedWithinAPictureAndNowhereElse) {
  Image values({3, 2});
  for (int y = 0; y < 3; ++y)
    for (int x = 0; x < 2; ++x) values.at(y, x) = static_cast<float>(y * 20 + x * 10);
  constexpr Rgb kBefore{9, 9, 9};
  std::vector<Rgb> pixels(400, kBefore);
  const RgbView picture{pixels.data(), 20, 20, 20};
  ThreadPool pool(2);
  paint_sky(values.view(), {0, 50}, pool, picture.area(5, 1, 2 * 4, 3 * 5));
  for (int y = 0; y < 20; ++y)
    for (int x = 0; x < 20; ++x) {
      const bool inside = x >= 5 && x < 13 && y >= 1 && y < 16;
      const double t = inside ? ((y - 1) / 5 * 20 + (x - 5) / 4 * 10) / 50.0 : 0;
      const Rgb wanted =
          inside ? sky_colour(static_cast<int>(std::lround(255 * testing::stretched(kSkyCurve, t)))) : kBefore;
      EXPECT_EQ(picture.at(x, y), wanted) << y << ' ' << x;
    }
  EXPECT_THROW(paint_sky(values.view(), {0, 50}, pool, picture.area(0, 0, 9, 15)), InternalError);
}

Catalogue crowd(int count) {
  std::vector<double> x, y, snr;
  for (int i = 0; i < count; ++i) {
    x.push_back((i * 131) % 2000);
    y.push_back(2000.0 * i / count);
    snr.push_back(5 + (i * 7919) % count);
  }
  Catalogue sources;
  sources.columns = {{{"Xposn", "pix", "", ""}, x}, {{"Yposn", "pix", "", ""}, y}, {{"SNR", "", "", ""}, snr}};
  return sources;
}

TEST(SourceMarks, FewAreMarkedInFullAndCrowdsByTheirHighest) {
  const SkyLayout layout = make_sky_layout({2000, 2000}, 1400);
  const SourceMarks few = mark_sources(layout, crowd(300), Wcs(), {});
  EXPECT_EQ(few.outlines.size(), 300U);
  EXPECT_NEAR(std::sqrt(few.outlines[0].xx), 7 * layout.unit, 1e-9);
  EXPECT_TRUE(note_of(few).empty());

  const SourceMarks many = mark_sources(layout, crowd(4000), Wcs(), {});
  EXPECT_EQ(many.outlines.size(), 4000U);
  EXPECT_LT(many.outlines[0].xx, 0.8 * few.outlines[0].xx);
  EXPECT_LT(many.thickness, few.thickness);

  const Catalogue sources = crowd(50000);
  const SourceMarks crowded = mark_sources(layout, sources, Wcs(), {});
  ASSERT_LT(crowded.outlines.size(), 20000U);
  ASSERT_GT(crowded.outlines.size(), 5000U);
  EXPECT_EQ(crowded.sources, 50000);
  EXPECT_EQ(note_of(crowded),
            std::to_string(crowded.outlines.size()) + " of 50000 sources outlined: those of the highest S/N");
  // The strongest of all is among them: it is row i with 7919 i = -1 modulo the count.
  std::size_t best = 0;
  const auto& snr = std::get<std::vector<double>>(sources.find("SNR")->values);
  for (std::size_t i = 0; i < snr.size(); ++i) best = snr[i] > snr[best] ? i : best;
  const Point at = layout.point(static_cast<double>(best * 131 % 2000), 0.04 * static_cast<double>(best));
  EXPECT_TRUE(std::any_of(crowded.outlines.begin(), crowded.outlines.end(), [&](const DrawnEllipse& e) {
    return std::hypot(e.centre.x - at.x, e.centre.y - at.y) < 1e-6;
  }));
}

}  // namespace
}  // namespace reber
