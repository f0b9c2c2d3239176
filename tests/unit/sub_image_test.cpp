// SPDX-License-Identifier: BSD-3-Clause
// Parts of images as files: pixels, places on the sky, planes, and what is refused.
#include "gui/model/image/sub_image.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "core/base/error.hpp"
#include "core/files/fits/crop.hpp"
#include "core/files/fits/cube_writer.hpp"
#include "core/sky/model/fits_cards.hpp"
#include "gui/model/image/file_levels.hpp"
#include "tests/unit/fits_files.hpp"

namespace reber::gui {
namespace {

using testing_files::card;

constexpr Shape kShape{40, 60};
constexpr Rect kPart{7, 11, 20, 30};

std::vector<std::string> cards_of(const std::string& matrix) {
  std::vector<std::string> cards;
  std::vector<std::string> texts{"CTYPE1  = 'RA---SIN'", "CTYPE2  = 'DEC--SIN'", "CRPIX1  = 31.5",  "CRPIX2  = 18.25",
                                 "CRVAL1  = 187.5",      "CRVAL2  = 42.0",       "RADESYS = 'ICRS'"};
  if (matrix == "CD")
    texts.insert(texts.end(), {"CD1_1   = -0.01", "CD1_2   = 0.003", "CD2_1   = 0.003", "CD2_2   = 0.01"});
  else
    texts.insert(texts.end(), {"CDELT1  = -0.01", "CDELT2  = 0.01", "CROTA2  = 20.0"});
  if (matrix == "SIP") {
    texts[0] = "CTYPE1  = 'RA---TAN-SIP'";
    texts[1] = "CTYPE2  = 'DEC--TAN-SIP'";
    texts.insert(texts.end(), {"A_ORDER = 2", "B_ORDER = 2", "A_2_0   = 1.0E-4", "B_1_1   = 2.0E-4"});
  }
  texts.insert(texts.end(), {"CRPIX1A = 5.0", "LTV2    = -100.0"});
  for (const std::string& text : texts) cards.push_back(card(text));
  return cards;
}

ImageHeader header_of(const std::string& matrix) {
  ImageHeader header;
  header.path = "a.fits";
  header.axes = {kShape.nx, kShape.ny};
  header.shape = kShape;
  header.cards = cards_of(matrix);
  std::string all;
  for (const std::string& each : header.cards) all += each;
  header.wcs = Wcs::parse(all + card("END"), 0, 1, {1, 1}, 2, kShape.nx, kShape.ny);
  return header;
}

TEST(Crop, pixels_keep_their_places_on_the_sky) {
  for (const char* matrix : {"CD", "CROTA", "SIP"}) {
    const ImageHeader whole = header_of(matrix), part = cropped(whole, kPart);
    ASSERT_TRUE(whole.wcs.celestial() && part.wcs.celestial()) << matrix;
    EXPECT_EQ(part.shape, (Shape{kPart.ny, kPart.nx}));
    EXPECT_EQ(part.axes, (std::vector<std::int64_t>{kPart.nx, kPart.ny}));
    for (const auto& [x, y] : {std::pair(0.0, 0.0), std::pair(29.0, 19.0), std::pair(12.5, 3.25)}) {
      const auto a = part.wcs.to_sky(x, y), b = whole.wcs.to_sky(x + kPart.x0, y + kPart.y0);
      ASSERT_TRUE(a && b);
      EXPECT_TRUE(std::abs(a->lon_deg - b->lon_deg) <= 1e-11 && std::abs(a->lat_deg - b->lat_deg) <= 1e-11) << matrix;
    }
    std::string all;
    for (const std::string& each : part.cards) all += each;
    const fits::CardTable table(all);
    EXPECT_EQ(table.number("CRPIX1A"), 5.0 - kPart.x0);
    EXPECT_EQ(table.number("LTV1"), -static_cast<double>(kPart.x0));
    EXPECT_EQ(table.number("LTV2"), -100.0 - static_cast<double>(kPart.y0));
  }
}

TEST(Crop, refuses_what_is_not_in_the_image_and_tables_of_distortions) {
  const ImageHeader whole = header_of("CD");
  for (const Rect& part : {Rect{0, 0, 0, 5}, Rect{-1, 0, 5, 5}, Rect{30, 0, 11, 5}, Rect{0, 58, 1, 3}})
    EXPECT_THROW((void)cropped(whole, part), InputError);
  ImageHeader odd = whole;
  odd.cards.push_back(card("CPDIS1  = 'LOOKUP'"));
  EXPECT_THROW((void)cropped(odd, kPart), InputError);
}

/// A cube of three planes, each with a beam of its own; pixel = 1e4 plane + 100 y + x, and one NaN.
std::string write_cube(const testing_files::TemporaryFolder& folder) {
  ImageHeader like = header_of("CD");
  like.axes = {kShape.nx, kShape.ny, 1, 3};
  like.planes = 3;
  for (const char* text :
       {"CTYPE3  = 'STOKES'", "CRPIX3  = 1.0", "CRVAL3  = 1.0", "CDELT3  = 1.0", "CTYPE4  = 'FREQ'", "CRPIX4  = 1.0",
        "CRVAL4  = 1.4E9", "CDELT4  = 1.0E6", "CUNIT4  = 'Hz'", "HISTORY made for this test"})
    like.cards.push_back(card(text));
  OutputHeader header;
  header.like = &like;
  header.unit = "Jy/beam";
  const Beam beam{0.1, 0.05, 30};
  const std::string path = folder.file("cube.fits");
  CubeWriter writer(path, header, {beam, Beam{0.2, 0.05, 30}, Beam{0.3, 0.05, 30}}, {});
  for (int plane = 0; plane < 3; ++plane)
    writer.write_plane(plane,
                       [plane](std::int64_t y0, std::int64_t ny, float* out) {
                         for (std::int64_t y = y0; y < y0 + ny; ++y)
                           for (std::int64_t x = 0; x < kShape.nx; ++x)
                             *out++ = x == 20 && y == 10 ? NAN : static_cast<float>(10000 * plane + 100 * y + x);
                       },
                       {});
  writer.finish();
  return path;
}

void expect_pixels(const ImageFile& file, std::int64_t plane, std::int64_t of) {
  const auto pixels = file.pixels(plane, {});
  std::vector<float> values(static_cast<std::size_t>(kPart.ny * kPart.nx));
  read_floats(*pixels, {0, 0, kPart.ny, kPart.nx}, values.data());
  for (std::int64_t y = 0; y < kPart.ny; ++y)
    for (std::int64_t x = 0; x < kPart.nx; ++x) {
      const float v = values[static_cast<std::size_t>(y * kPart.nx + x)];
      const std::int64_t ix = x + kPart.x0, iy = y + kPart.y0;
      if (ix == 20 && iy == 10)
        EXPECT_TRUE(std::isnan(v));
      else
        ASSERT_EQ(v, static_cast<float>(10000 * of + 100 * iy + ix));
    }
}

TEST(SubImage, one_plane_keeps_its_frequency_beam_and_history) {
  const testing_files::TemporaryFolder folder;
  const std::string from = write_cube(folder), to = folder.file("part.fits");
  const auto cube = open_image_file(from, {}, Planes::many);
  write_sub_image(to, *cube, {kPart, 1}, false, {});
  const auto part = open_image_file(to, {}, Planes::many);
  ASSERT_EQ(part->planes(), 1);
  const ImageHeader header = part->header(0), whole = cube->header(1);
  EXPECT_EQ(header.shape, (Shape{kPart.ny, kPart.nx}));
  EXPECT_NEAR(header.wcs.frequency_hz(), 1.401e9, 1);
  ASSERT_TRUE(header.beam.has_value());
  EXPECT_NEAR(header.beam->major_deg, 0.2, 1e-7);
  EXPECT_EQ(header.unit.text, "Jy/beam");
  const auto a = header.wcs.to_sky(3, 4), b = whole.wcs.to_sky(3 + kPart.x0, 4 + kPart.y0);
  ASSERT_TRUE(a && b);
  EXPECT_TRUE(std::abs(a->lon_deg - b->lon_deg) <= 1e-11 && std::abs(a->lat_deg - b->lat_deg) <= 1e-11);
  expect_pixels(*part, 0, 1);
  std::string all;
  for (const std::string& each : header.cards) all += each;
  EXPECT_NE(all.find("HISTORY made for this test"), std::string::npos);
  EXPECT_NE(all.find("x 12 to 41, y 8 to 27 of 60 x 40 pixels"), std::string::npos) << all;
}

TEST(SubImage, all_planes_keep_their_own_beams) {
  const testing_files::TemporaryFolder folder;
  const std::string from = write_cube(folder), to = folder.file("part.fits");
  write_sub_image(to, *open_image_file(from, {}, Planes::many), {kPart, {}}, false, {});
  const auto part = open_image_file(to, {}, Planes::many);
  ASSERT_EQ(part->planes(), 3);
  for (std::int64_t plane = 0; plane < 3; ++plane) {
    expect_pixels(*part, plane, plane);
    EXPECT_NEAR(part->header(plane).wcs.frequency_hz(), 1.4e9 + 1e6 * static_cast<double>(plane), 1);
    ASSERT_TRUE(part->header(plane).beam.has_value());
    EXPECT_NEAR(part->header(plane).beam->major_deg, 0.1 * static_cast<double>(plane + 1), 1e-7);
  }
}

TEST(SubImage, never_over_its_input_nor_over_another_file_unasked) {
  const testing_files::TemporaryFolder folder;
  const std::string from = write_cube(folder), to = folder.file("part.fits");
  const auto text = [](const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string before = text(from);
  const auto cube = open_image_file(from, {}, Planes::many);
  for (const std::optional<std::int64_t>& plane : {std::optional<std::int64_t>(0), std::optional<std::int64_t>()}) {
    EXPECT_THROW(write_sub_image(from, *cube, {kPart, plane}, true, {}), InputError);
    std::ofstream(to) << "kept";
    EXPECT_THROW(write_sub_image(to, *cube, {kPart, plane}, false, {}), InputError);
    EXPECT_EQ(text(to), "kept");
  }
  EXPECT_EQ(text(from), before);
}

}  // namespace
}  // namespace reber::gui
