// SPDX-License-Identifier: BSD-3-Clause
// Drawing: what is inked and where, letters, every kind of file; the pixels of the sky, and which sources are marked.
#include "core/show/picture/canvas.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/base/error.hpp"
#include "core/base/module.hpp"
#include "core/show/display/inferno.hpp"
#include "core/show/picture/sky_layout.hpp"
#include "core/show/picture/sky_pixels.hpp"
#include "core/show/picture/source_marks.hpp"
#include "tests/support/stretched.hpp"
#include "tests/unit/fits_files.hpp"
#include "tests/unit/png_rows.hpp"

#include <opencv2/imgproc.hpp>

namespace reber {
namespace {

constexpr Ink kWhite{255, 255, 255, 1};
constexpr Ink kBlack{0, 0, 0, 1};

std::unique_ptr<Canvas> black(int width, int height) { return make_canvas("a.png", width, height, kBlack); }

int red(const Canvas& canvas, int x, int y) { return canvas.pixels().at(x, y).red; }

DrawnEllipse circle(double x, double y, double radius) { return {{x, y}, radius * radius, 0, radius * radius}; }

/// Sum of the ink on a black canvas, in pixels, and the box that holds it.
struct Inked {
  double sum = 0, left = INFINITY, top = INFINITY, right = -INFINITY, bottom = -INFINITY;
  explicit Inked(const Canvas& canvas) {
    const RgbView pixels = canvas.pixels();
    for (int y = 0; y < pixels.height; ++y)
      for (int x = 0; x < pixels.width; ++x) {
        const int ink = pixels.at(x, y).red;
        sum += ink / 255.0;
        if (ink < 60) continue;
        left = std::min(left, double(x)), right = std::max(right, x + 1.0);
        top = std::min(top, double(y)), bottom = std::max(bottom, y + 1.0);
      }
  }
};

TEST(Canvas, ALineCoversItsThicknessTimesItsLength) {
  for (const double thickness : {0.8, 1.35, 2.0, 3.0, 5.0}) {
    for (const Point end : {Point{150, 131}, Point{40, 170}, Point{181, 23}}) {
      const auto canvas = black(200, 200);
      canvas->line({20, 20}, end, kWhite, thickness);
      const double length = std::hypot(end.x - 20, end.y - 20);
      EXPECT_NEAR(Inked(*canvas).sum, thickness * length, 0.12 * thickness * length + 8) << thickness << ' ' << end.x;
    }
  }
}

TEST(Canvas, LevelAndUprightLinesFillWholePixels) {
  for (const double at : {20.0, 20.3, 20.5}) {
    const auto canvas = black(60, 60);
    canvas->line({10, at}, {50, at}, kWhite);
    canvas->line({at, 30}, {at, 50}, kWhite, 2);
    int grey = 0;
    for (int y = 0; y < 60; ++y)
      for (int x = 0; x < 60; ++x) grey += red(*canvas, x, y) > 0 && red(*canvas, x, y) < 255;
    EXPECT_EQ(grey, 0) << at;
    EXPECT_NEAR(Inked(*canvas).sum, 40 + 2 * 20, 5) << at;
  }
}

TEST(Canvas, AnOutlineLiesWhereTheEllipseIs) {
  // Half axes 30 and 10, turned by 30 degrees.
  const double c = std::cos(M_PI / 6), s = std::sin(M_PI / 6);
  const DrawnEllipse ellipse{{100.5, 80.5}, 900 * c * c + 100 * s * s, 800 * s * c, 900 * s * s + 100 * c * c};
  for (const double thickness : {1.0, 2.0, 3.5}) {
    const auto canvas = black(200, 160);
    canvas->outlines({ellipse}, kWhite, thickness);
    for (int i = 0; i < 64; ++i) {
      const double t = 2 * M_PI * i / 64, u = 30 * std::cos(t), v = 10 * std::sin(t);
      const double x = ellipse.centre.x + c * u - s * v, y = ellipse.centre.y + s * u + c * v;
      EXPECT_GT(red(*canvas, static_cast<int>(x), static_cast<int>(y)), 75) << i;
      const auto at = [&](double k) {
        return red(*canvas, static_cast<int>(100.5 + k * (x - 100.5)), static_cast<int>(80.5 + k * (y - 80.5)));
      };
      EXPECT_EQ(at(0.5), 0) << i;
      EXPECT_EQ(at(1.5), 0) << i;
    }
  }
}

TEST(Canvas, FilledShapesHaveTheirArea) {
  for (const double radius : {2.0, 3.6, 20.0}) {
    const auto discs = black(100, 100);
    discs->disc({50.3, 50.2}, radius, kWhite);
    EXPECT_NEAR(Inked(*discs).sum, M_PI * radius * radius, 0.12 * M_PI * radius * radius) << radius;
  }
  const auto areas = black(100, 100);
  areas->fill_triangles({{10, 10}, {40, 10}, {40, 40}, {40, 40}, {10, 10}, {10, 40}}, {255, 255, 255, 0.5});
  EXPECT_NEAR(Inked(*areas).sum, 30 * 30 * 0.5, 4);
  EXPECT_EQ(red(*areas, 25, 25), 128);  // no seam between the two
}

TEST(Canvas, OneLayerIsBlendedOnce) {
  const DrawnEllipse ring = circle(30.5, 30.5, 10);
  const Ink half{255, 255, 255, 0.5};
  const auto once = black(60, 60);
  once->outlines({ring, ring, circle(36.5, 30.5, 10)}, half, 3);
  int most = 0;
  for (int y = 0; y < 60; ++y)
    for (int x = 0; x < 60; ++x) most = std::max(most, red(*once, x, y));
  EXPECT_EQ(most, 128);
}

TEST(Canvas, NothingIsDrawnOutsideTheClipOrFromWhatIsNotFinite) {
  const double nan = std::nan(""), huge = std::numeric_limits<double>::max();
  const auto canvas = black(50, 50);
  canvas->clip({10, 10}, 20, 20);
  canvas->outlines(
      {circle(10, 10, 8), circle(1e9, -1e9, 5), circle(nan, 3, 5), circle(5, 5, nan), circle(20, 20, 1e200)}, kWhite,
      1);
  canvas->line({-1e9, 20}, {1e9, 20.001}, kWhite);
  canvas->line({-1e300, 5}, {1e300, 29}, kWhite, 3);
  canvas->line({nan, 20}, {huge, 20}, kWhite);
  canvas->fill_rectangle({-100, -100}, 115, 115, kWhite);
  canvas->fill_triangles({{0, 0}, {0, 50}, {12, 50}, {nan, 1}, {2, 2}, {3, 3}}, kWhite);
  canvas->text({-4, 20}, "outside and inside", 12, kWhite);
  canvas->text({nan, 20}, "nowhere", 12, kWhite);
  const Inked box(*canvas);
  EXPECT_GE(box.left, 10);
  EXPECT_GE(box.top, 10);
  EXPECT_LE(box.right, 30);
  EXPECT_LE(box.bottom, 30);
  EXPECT_EQ(red(*canvas, 12, 12), 255);
  EXPECT_GT(red(*canvas, 29, 20), 100);
  canvas->unclip();
  canvas->fill_rectangle({0, 0}, 5, 5, kWhite);  // nothing of the layers before is left to blend
  EXPECT_EQ(red(*canvas, 40, 20), 0);
}

TEST(Letters, StandWhereTheyAreAskedFor) {
  const double width = text_width("HIH", 14);
  for (const auto& [align, left] : {std::pair{Align::left, 0.0}, {Align::centre, -width / 2}, {Align::right, -width}}) {
    const auto level = black(200, 60);
    level->text({100, 30}, "HIH", 14, kWhite, align);
    const Inked box(*level);
    EXPECT_NEAR(box.left, 100 + left + 1.5, 2.5);
    EXPECT_NEAR(box.right, 100 + left + width - 1.5, 2.5);
    EXPECT_NEAR(box.top, 23, 1.1);  // capitals are centred on the point
    EXPECT_NEAR(box.bottom, 37, 1.1);
    const auto turned = black(60, 200);
    turned->text({30, 100}, "HIH", 14, kWhite, align, true);
    const Inked up(*turned);
    EXPECT_NEAR(up.bottom, 100 - left - 1.5, 2.5);
    EXPECT_NEAR(up.top, 100 - left - width + 1.5, 2.5);
    EXPECT_NEAR(up.left, 23, 1.1);
    EXPECT_NEAR(up.right, 37, 1.1);
  }
}

TEST(Letters, MarkupRaisesAndPlainTextKeepsItsSigns) {
  const auto top = [](const std::string& text, bool markup) {
    const auto canvas = black(200, 80);
    canvas->write({10, 40}, text, kWhite, {14, Align::left, false, markup});
    return Inked(*canvas);
  };
  EXPECT_LT(top("10^8", true).top, top("108", true).top - 2);
  EXPECT_LT(top("10^{-3}", true).right, top("10^{-3}", false).right - 10);
  EXPECT_GT(text_width("10^{-3}", 14), text_width("10", 14));
  EXPECT_LT(text_width("10^{-3}", 14), text_width("10 -3", 14));
  EXPECT_GT(text_width("12\u00B0", 14), text_width("12", 14));
}

TEST(Letters, BytesThatAreNoTextDoNotStopADrawing) {
  for (const char* text :
       {"\xB0", "\xC2", "a\xFFz", "\xED\xA0\x80", "\xF5\x80\x80\x80", "a\tb\n", "^", "^{", "}", "^^^"}) {
    const auto canvas = black(100, 40);
    canvas->text({20, 20}, text, 12, kWhite);
    canvas->text({60, 20}, "H", 12, kWhite);
    int most = 0;  // of the H
    for (int x = 60; x < 66; ++x) most = std::max(most, red(*canvas, x, 20));
    EXPECT_GT(most, 100) << text;
    EXPECT_GE(text_width(text, 12), 0);
  }
  EXPECT_EQ(text_width("", 12), 0);
}

TEST(Canvas, AnyFormatHoldsTheSameDrawing) {
  const testing_files::TemporaryFolder folder;
  for (const auto& [name, begins] :
       {std::pair{"a.png", "\x89PNG"}, {"a.pdf", "%PDF"}, {"a.svg", "<?xml"}, {"a.SVG", "<?xml"}}) {
    const std::string path = folder.file(name);
    const auto canvas = make_canvas(path, 300, 200, kWhite, "a title");
    EXPECT_EQ(canvas->width(), 300);
    EXPECT_EQ(canvas->height(), 200);
    std::vector<Rgb> pixels(4, Rgb{255, 0, 0});
    canvas->image({pixels.data(), 2, 2, 2}, {10, 10}, 40, 40);
    canvas->clip({0, 0}, 250, 250);
    canvas->outlines({circle(100, 100, 30), circle(std::nan(""), 3, 5)}, {0, 0, 255, 0.5}, 2);
    canvas->disc({100, 100}, 5, kBlack);
    canvas->unclip();
    canvas->line({0, 0}, {std::nan(""), 4}, kBlack);
    canvas->line({0, 0}, {300, 200}, kBlack);
    canvas->fill_triangles({{1, 1}, {9, 1}, {1, 9}}, kBlack);
    canvas->text({150, 100}, "12^h30^m -3.5\u00B0 \xFF", 12, kBlack, Align::centre);
    save(*canvas, path, true);
    EXPECT_EQ(testing_files::load(path).substr(0, 4), std::string(begins).substr(0, 4)) << name;
    EXPECT_THROW(save(*make_canvas(path, 30, 20, kWhite), path, false), InputError);
  }
}

TEST(Canvas, WithoutWhatDrawsAMessageSaysWhatToInstall) {
  try {
    (void)module_function("no_such", "entry", "pictures");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("libreber_no_such.so"), std::string::npos);
  }
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
  const auto canvas = black(20, 20);
  std::vector<Rgb> pixels;
  for (std::uint8_t k = 0; k < 6; ++k) pixels.push_back({static_cast<std::uint8_t>(40 * k + 10), 0, 0});
  canvas->image({pixels.data(), 2, 3, 2}, {5, 1}, 2 * 4, 3 * 5);
  for (int y = 0; y < 20; ++y)
    for (int x = 0; x < 20; ++x) {
      const bool inside = x >= 5 && x < 13 && y >= 1 && y < 16;
      EXPECT_EQ(red(*canvas, x, y), inside ? 40 * ((y - 1) / 5 * 2 + (x - 5) / 4) + 10 : 0) << y << ' ' << x;
    }
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
