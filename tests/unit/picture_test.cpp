// SPDX-License-Identifier: BSD-3-Clause
// Pictures: every shape and content gives a PNG, and an existing file stays.
#include "core/show/picture/picture.hpp"
#include "core/show/picture/panels.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "core/base/error.hpp"
#include "core/show/picture/sky_axes.hpp"
#include "core/show/picture/sky_pixels.hpp"
#include "core/sky/model/image.hpp"
#include "tests/unit/fits_files.hpp"

namespace reber {
namespace {

using testing_files::card;
using testing_files::load;
using testing_files::sky_cards;
using testing_files::TemporaryFolder;

ImageHeader sky_header(Shape shape) {
  std::string cards;
  for (const std::string& line : sky_cards()) cards += card(line);
  ImageHeader header;
  header.shape = shape;
  header.unit = Unit::parse("Jy/beam");
  header.beam = Beam{0.01, 0.008, 30};
  header.wcs =
      Wcs::parse(cards + card("END"), 0, 1, {1, 1}, 2, static_cast<double>(shape.nx), static_cast<double>(shape.ny));
  return header;
}

/// Width and height that the PNG's header states; zeros where it is no PNG.
std::pair<int, int> png_size(const std::string& bytes) {
  if (bytes.size() < 24 || bytes.compare(1, 3, "PNG") != 0) return {0, 0};
  const auto number = [&](std::size_t at) {
    int value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    return value;
  };
  return {number(16), number(20)};
}

/// Rows of an image of one value.
PixelRows filled(Shape shape, float value) {
  return [=](std::int64_t, std::int64_t ny, float* out) { std::fill_n(out, ny * shape.nx, value); };
}

TEST(SkyPicture, AnyShapeAndContentGivesAPng) {
  const TemporaryFolder folder;
  PictureOptions options;
  options.file = true;
  options.max_side_px = 400;
  options.title = "title {} %s";
  Catalogue sources;
  sources.columns = {{{"Xposn", "pix", "", ""}, std::vector<double>{0, 1e9, std::nan("")}},
                     {{"Yposn", "pix", "", ""}, std::vector<double>{0, -1e9, 1}},
                     {{"Maj", "deg", "", ""}, std::vector<double>{0.01, 0.01, 0.01}},
                     {{"Min", "deg", "", ""}, std::vector<double>{0.01, 0, 0.01}},
                     {{"PA", "deg", "", ""}, std::vector<double>{0, 10, 20}}};
  for (const Shape shape : {Shape{1, 1}, Shape{1, 50}, Shape{50, 1}, Shape{3, 2000}, Shape{120, 90}}) {
    for (const float value : {0.0f, 1.0f, std::numeric_limits<float>::quiet_NaN(), 3e38f}) {
      write_sky_picture(folder.file("p.png"), shape, filled(shape, value), sky_header(shape), &sources, options);
      const auto [width, height] = png_size(load(folder.file("p.png")));
      EXPECT_GT(width, 80);
      EXPECT_GT(height, 80);
      EXPECT_LT(std::max(width, height), 900);
    }
  }
  const Shape small{20, 20};
  write_sky_picture(folder.file("p.png"), small, filled(small, 1), ImageHeader(), nullptr, options);
  options.file = false;
  EXPECT_THROW(write_sky_picture(folder.file("p.png"), small, filled(small, 1), ImageHeader(), nullptr, options),
               InputError);
}

TEST(SkyPicture, BlocksAreReducedToTheirLargestFinitePixel) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinite = std::numeric_limits<float>::infinity();
  Image image({5, 5});
  std::fill_n(image.data(), image.shape().count(), nan);
  image.data()[0] = -2, image.data()[1] = -1, image.data()[5] = infinite;  // the block at the bottom left
  image.data()[3 * 5 + 2] = 7;                                             // the one at its upper right
  image.data()[4 * 5 + 4] = -infinite;                                     // the corner, of one pixel
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    const PixelRows rows = [&](std::int64_t y0, std::int64_t ny, float* out) {
      std::copy_n(image.data() + 5 * y0, 5 * ny, out);
    };
    const Image got = reduced_peaks(image.shape(), rows, 2, pool, {});
    ASSERT_EQ(got.shape(), (Shape{3, 3}));
    EXPECT_EQ(got.at(2, 0), -1);
    EXPECT_EQ(got.at(1, 1), 7);
    EXPECT_TRUE(std::isnan(got.at(0, 2)));
    EXPECT_TRUE(std::isnan(got.at(2, 2)));
  }
}

/// Sources all over an image.
Catalogue scattered(std::size_t count, Shape shape) {
  std::vector<double> x(count), y(count), size(count, 0.004), angle(count, 30);
  for (std::size_t i = 0; i < count; ++i) {
    x[i] = std::fmod(static_cast<double>(i) * 0.618034, 1.0) * static_cast<double>(shape.nx - 1);
    y[i] = static_cast<double>(i) / static_cast<double>(count) * static_cast<double>(shape.ny - 1);
  }
  Catalogue sources;
  sources.columns = {{{"Xposn", "pix", "", ""}, x},
                     {{"Yposn", "pix", "", ""}, y},
                     {{"Maj", "deg", "", ""}, size},
                     {{"Min", "deg", "", ""}, size},
                     {{"PA", "deg", "", ""}, angle}};
  return sources;
}

TEST(SkyPicture, PeaksThatSomebodyFoundGiveTheSamePicture) {
  const Shape shape{250, 333};
  Image image(shape);
  for (std::int64_t i = 0; i < shape.count(); ++i)
    image.data()[i] = i % 13 == 0 ? std::nanf("") : static_cast<float>(i * 7919 % 1000);
  const PixelRows rows = [&](std::int64_t y0, std::int64_t ny, float* out) {
    std::copy_n(image.data() + y0 * shape.nx, ny * shape.nx, out);
  };
  const TemporaryFolder folder;
  PictureOptions options;
  options.max_side_px = 100;
  options.high = 1000;
  write_sky_picture(folder.file("rows.png"), shape, rows, sky_header(shape), nullptr, options);
  bool asked = false;
  options.peaks = [&](std::int64_t block) {
    asked = true;
    EXPECT_EQ(block, 4);
    std::vector<float> peaks;
    for (std::int64_t y = 0; y < shape.ny; y += block)
      for (std::int64_t x = 0; x < shape.nx; x += block) {
        float peak = -1;
        for (std::int64_t v = y; v < std::min(y + block, shape.ny); ++v)
          for (std::int64_t u = x; u < std::min(x + block, shape.nx); ++u)
            if (!std::isnan(image.at(v, u))) peak = std::max(peak, image.at(v, u));
        peaks.push_back(peak);
      }
    return peaks;
  };
  const PixelRows none = [](std::int64_t, std::int64_t, float*) { FAIL() << "rows were asked for"; };
  write_sky_picture(folder.file("peaks.png"), shape, none, sky_header(shape), nullptr, options);
  EXPECT_TRUE(asked);
  EXPECT_EQ(load(folder.file("peaks.png")), load(folder.file("rows.png")));
  options.peaks = [](std::int64_t) { return std::optional<std::vector<float>>(); };
  write_sky_picture(folder.file("nobody.png"), shape, rows, sky_header(shape), nullptr, options);
  EXPECT_EQ(load(folder.file("nobody.png")), load(folder.file("rows.png")));
}

TEST(SkyPicture, CostOfASourceIsThatOfItsOutline) {
  const TemporaryFolder folder;
  const Shape shape{1400, 1400};
  PictureOptions options;
  options.file = true;
  const auto seconds = [&](std::size_t count) {
    const Catalogue sources = scattered(count, shape);
    const auto start = std::chrono::steady_clock::now();
    write_sky_picture(folder.file("p.png"), shape, filled(shape, 1), sky_header(shape), &sources, options);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  (void)seconds(1);
  // A canvas that is copied for each of them takes ten seconds more.
  EXPECT_LT(seconds(3000), 5 * seconds(1) + 2);
}

TEST(Plots, EmptyAndLogarithmicSeriesAreDrawn) {
  const TemporaryFolder folder;
  write_panels(folder.file("a.png"), "nothing", {Panel()}, 1, true);
  Panel panel;
  panel.log_x = panel.log_y = true;
  panel.series.resize(2);
  panel.series[0].name = "a", panel.series[0].x = {1, 10, 0, 100}, panel.series[0].y = {1e-6, -1, 3, std::nan("")};
  panel.series[1].name = "b", panel.series[1].x = {5}, panel.series[1].y = {5};
  write_panels(folder.file("b.png"), "", {panel}, 1, true);
  for (const char* name : {"a.png", "b.png"}) EXPECT_GT(png_size(load(folder.file(name))).first, 0) << name;
}

TEST(SkyAxes, LabelsAreSexagesimalWithTheDigitsTheStepNeeds) {
  EXPECT_EQ(hours_text(187.5, 15), "12^h");
  EXPECT_EQ(hours_text(187.5, 0.25), "12^h30^m");
  EXPECT_EQ(hours_text(187.5, 15.0 / 3600), "12^h30^m00^s");
  EXPECT_EQ(hours_text(359.9999999, 15.0 / 3600), "00^h00^m00^s");
  EXPECT_EQ(degrees_text(-0.5, 1.0 / 60, true),
            "-00\xC2\xB0"
            "30'");
  EXPECT_EQ(degrees_text(12.0, 1.0 / 3600, true),
            "+12\xC2\xB0"
            "00'00\"");
  EXPECT_EQ(degrees_text(-66.999999999, 0.1 / 3600, true),
            "-67\xC2\xB0"
            "00'00.0\"");
}

TEST(SkyAxes, TicksLieWhereTheSkySaysSo) {
  const ImageHeader header = sky_header({400, 400});
  const auto ticks = sky_ticks(header.wcs, header.shape, SkyAxis::longitude, true, 4);
  ASSERT_GE(ticks.size(), 2U);
  for (const Tick& tick : ticks) {
    const auto sky = header.wcs.to_sky(tick.at, -0.5);
    ASSERT_TRUE(sky.has_value());
    EXPECT_NEAR(sky->lon_deg, tick.value, 1e-6);
  }
}

}  // namespace
}  // namespace reber
