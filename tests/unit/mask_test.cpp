// SPDX-License-Identifier: BSD-3-Clause
// Masks drawn as text, before and after each operation; noise of minima against a plain double loop.
#include "core/sky/mask/mask.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "core/base/error.hpp"
#include "core/sky/mask/mask_noise.hpp"
#include "core/sky/mask/moc.hpp"
#include "core/sky/mask/morphology.hpp"
#include "core/sky/mask/region_mask.hpp"

namespace reber {
namespace {

/// '.' is outside, '#' is 1, a digit is a number. Rows from the top are y = 0, 1, ...
Mask mask_from(const std::vector<std::string>& rows) {
  Mask mask({static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(rows.front().size())});
  for (std::size_t y = 0; y < rows.size(); ++y)
    for (std::size_t x = 0; x < rows[y].size(); ++x)
      mask.pixels[y * rows[y].size() + x] = rows[y][x] == '.' ? 0 : rows[y][x] == '#' ? 1 : rows[y][x] - '0';
  return mask;
}

std::vector<std::string> drawn(const Mask& mask) {
  std::vector<std::string> rows;
  for (std::int64_t y = 0; y < mask.shape.ny; ++y) {
    rows.emplace_back();
    for (std::int64_t x = 0; x < mask.shape.nx; ++x)
      rows.back() += mask.at(y, x) == 0 ? '.' : static_cast<char>('0' + mask.at(y, x));
  }
  return rows;
}

using Rows = std::vector<std::string>;

TEST(MaskOperations, islands_are_numbered_in_raster_order_and_corners_join_only_where_asked) {
  const Mask mask = mask_from({"#.#..", "#.#.#", "###..", "...#."});
  EXPECT_EQ(drawn(numbered(mask)), (Rows{"1.1..", "1.1.2", "111..", "...3."}));
  EXPECT_EQ(drawn(numbered(mask, true)), (Rows{"1.1..", "1.1.2", "111..", "...1."}));
}

TEST(MaskOperations, merge_and_subtract_and_invert) {
  Mask mask = mask_from({"2..#", "...."});
  merge(mask, mask_from({"##..", "...."}));
  EXPECT_EQ(drawn(mask), (Rows{"21.1", "...."})) << "what is inside keeps its number";
  subtract(mask, mask_from({"...#", "####"}));
  EXPECT_EQ(drawn(mask), (Rows{"21..", "...."}));
  invert(mask);
  EXPECT_EQ(drawn(mask), (Rows{"..11", "1111"}));
  EXPECT_THROW(merge(mask, Mask({1, 1})), InternalError);
}

TEST(MaskOperations, islands_go_by_number_and_by_size) {
  const Mask mask = mask_from({"11.2", "...2", "33.2", "3..."});
  const std::vector<std::int32_t> some{2, 9};
  Mask left = mask;
  remove_islands(left, some);
  EXPECT_EQ(drawn(left), (Rows{"11..", "....", "33..", "3..."}));
  left = mask;
  keep_islands(left, some);
  EXPECT_EQ(drawn(left), (Rows{"...2", "...2", "...2", "...."}));
  left = mask;
  remove_small(left, 3);
  EXPECT_EQ(drawn(left), (Rows{"...2", "...2", "33.2", "3..."})) << "an island of exactly 3 pixels stays";
  left = mask;
  make_binary(left);
  remove_small(left, 3);
  EXPECT_EQ(drawn(left), (Rows{"...1", "...1", "11.1", "1..."})) << "a mask of ones, island by island";
}

TEST(MaskOperations, dilation_is_by_a_disc) {
  Mask mask = mask_from({".......", ".......", ".......", "...#...", ".......", ".......", "......."});
  Mask far = mask;
  dilate(mask, 2);
  EXPECT_EQ(drawn(mask), (Rows{".......", "...1...", "..111..", ".11111.", "..111..", "...1...", "......."}));
  dilate(far, 2.3);  // sqrt(5) = 2.236
  EXPECT_EQ(drawn(far), (Rows{".......", "..111..", ".11111.", ".11111.", ".11111.", "..111..", "......."}));
}

TEST(MaskOperations, erosion_is_by_a_cross_and_the_border_is_outside) {
  Mask mask = mask_from({"#####", "#####", "#####", "#####"});
  erode(mask, 1);
  EXPECT_EQ(drawn(mask), (Rows{".....", ".111.", ".111.", "....."}));
  erode(mask, 1);
  EXPECT_EQ(mask.count(), 0);
}

TEST(MaskOperations, holes_are_what_no_path_along_sides_joins_to_the_border) {
  Mask mask = mask_from({"####.", "#..#.", "#.#..", "####.", "....."});
  fill_holes(mask);
  EXPECT_EQ(drawn(mask), (Rows{"1111.", "1111.", "111..", "1111.", "....."}));
}

TEST(MaskOperations, sum_over_peak_of_each_island) {
  const Mask islands = mask_from({"11.2", "...2"});
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> image{4, 2, 9, 5, 9, 9, 9, nan};
  EXPECT_EQ(sums_over_peaks(islands, image), (std::vector<double>{0, 1.5, 1}));
}

TEST(MaskThreshold, border_and_blank_pixels_are_outside) {
  std::vector<float> image(25, 10);
  image[12] = std::numeric_limits<float>::quiet_NaN();
  image[11] = 2;
  EXPECT_EQ(drawn(above(image, std::vector<float>(25, 1), 2, {5, 5})),
            (Rows{".....", ".111.", "...1.", ".111.", "....."}))
      << "2 is not above 2 x 1";
}

/// SciPy's minimum_filter(mode="reflect") by its definition.
float least_in_box(const std::vector<float>& image, Shape shape, std::int64_t y, std::int64_t x, std::int64_t box) {
  const auto mirrored = [](std::int64_t at, std::int64_t n) {
    while (at < 0 || at >= n) at = at < 0 ? -1 - at : 2 * n - 1 - at;
    return at;
  };
  float least = std::numeric_limits<float>::infinity();
  for (std::int64_t dy = -(box / 2); dy < box - box / 2; ++dy)
    for (std::int64_t dx = -(box / 2); dx < box - box / 2; ++dx)
      least = std::min(
          least, image[static_cast<std::size_t>(mirrored(y + dy, shape.ny) * shape.nx + mirrored(x + dx, shape.nx))]);
  return least;
}

TEST(MaskNoise, is_the_least_value_of_each_box_over_its_expected_depth) {
  const Shape shape{23, 31};
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  std::vector<float> image(static_cast<std::size_t>(shape.count()));
  for (float& pixel : image) pixel = normal(random);
  for (const std::int64_t box : {1, 2, 5, 8, 40}) {
    const std::vector<float> noise = noise_of_minima(image, shape, box);
    // Half of the samples of n values have their least below -r: (1 - Phi(-r))^n = 1/2.
    const double n = static_cast<double>(box * box);
    double r = 0;
    for (double x = -10; x < 10; x += 1e-4)
      if (1 - std::pow(0.5 * std::erfc(x / std::sqrt(2.0)), n) <= 0.5) r = std::abs(x);
    std::vector<float> expected(image.size());
    for (std::int64_t y = 0; y < shape.ny; ++y)
      for (std::int64_t x = 0; x < shape.nx; ++x) {
        const double value = -least_in_box(image, shape, y, x, box) / r;
        expected[static_cast<std::size_t>(y * shape.nx + x)] = value < 0 ? 1e-10f : static_cast<float>(value);
      }
    std::vector<float> sorted = expected;
    std::ranges::sort(sorted);
    const float median = sorted[sorted.size() / 2];
    for (std::size_t i = 0; i < noise.size(); ++i) {
      const float wanted = std::max(expected[i], median);
      if (box > 1) {
        ASSERT_NEAR(noise[i], wanted, 1e-3 * wanted) << "box " << box << " pixel " << i;
      }
    }
  }
}

TEST(MaskNoise, blank_pixels_do_not_count) {
  std::vector<float> image(100, -1);
  image[0] = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> noise = noise_of_minima(image, {10, 10}, 3);
  for (const float value : noise) EXPECT_FLOAT_EQ(value, noise[50]);
}

TEST(MaskRegions, shapes_are_inside_by_the_centres_of_pixels_and_excluded_ones_are_not) {
  const std::vector<Region> regions = read_regions("image; box(3,2,4,2,0)\nimage; -circle(2,2,0.5)", Wcs());
  EXPECT_EQ(drawn(mask_of(regions, {4, 6})), (Rows{"......", "..111.", ".1111.", "......"}));
  EXPECT_THROW((void)read_regions("image; point(3,2)", Wcs()), InputError);
  EXPECT_THROW((void)read_regions("/no/such/file.reg", Wcs()), DataError);
}

TEST(MaskRegions, shapes_without_an_area_are_left_out_with_a_warning) {
  std::string told;
  const auto warn = [&](const std::string& text) { told = text; };
  const std::string shapes = "image\ncircle(2,2,0.5)\nvector(1,2,3,4)\npoint(3,2)\nline(1,1,2,2)";
  EXPECT_EQ(read_regions(shapes, Wcs(), warn).size(), 1U);
  EXPECT_NE(told.find("3 of 4 shapes left out; the first: line 3: vector"), std::string::npos) << told;
  const std::string notes = "ann circle[[1pix,2pix],3pix]\ncircle[[1pix,2pix],1pix]";
  EXPECT_EQ(read_regions(notes, Wcs(), warn).at(0).half_x, 1);
  EXPECT_NE(told.find("line 1: annotation"), std::string::npos) << told;
}

TEST(MaskRegions, regions_of_casa_are_taken_one_after_another) {
  // Counted by casatools 6.7.
  const std::string a = "circle[[60pix,60pix],20pix]\n", b = "-circle[[60pix,60pix],10pix]\n",
                    c = "circle[[70pix,60pix],10pix]\n";
  const auto pixels = [](const std::string& lines) { return mask_of(read_regions(lines, Wcs()), {200, 220}).count(); };
  EXPECT_EQ(pixels(a + b + c), 1067);
  EXPECT_EQ(pixels(a + c + b), 940);
}

TEST(MaskRegions, outlines_read_back_are_the_same_mask) {
  for (const Mask& mask : {mask_from({"##..#", "#.#..", "#####", "....."}), mask_from({"#.#", ".#.", "#.#"}),
                           mask_from({"#####", "#...#", "#...#", "#####"}), mask_from({"####", "####"})}) {
    EXPECT_EQ(mask_of(outlines_of(mask), mask.shape), mask) << drawn(mask)[0];
  }
  EXPECT_EQ(outlines_of(mask_from({"####", "####"})).front().points.size(), 4U);
}

TEST(Healpix, cells_are_where_the_standard_has_them) {
  // Base cells by their centres: 0 to 3 in the north, 4 to 7 on the equator from longitude 0, 8 to 11 in the south.
  for (int face = 0; face < 12; ++face) {
    const double lon = (face < 4 || face > 7) ? 45 + 90.0 * (face % 4) : 90.0 * (face % 4);
    const double lat = face < 4 ? 41.8 : face < 8 ? 0 : -41.8;
    EXPECT_EQ(healpix_cell(lon, lat, 0), face);
  }
  // Order 1: within cell 0 the southernmost of the four is 0, the east 1, the west 2, the northernmost 3.
  EXPECT_EQ(healpix_cell(45, 10, 1), 0);
  for (const double lon : {1.0, 100.0, 200.5, 359.0})
    for (const double lat : {-80.0, -30.0, 0.5, 70.0}) {
      EXPECT_EQ(healpix_cell(lon - 360, lat, 9), healpix_cell(lon, lat, 9)) << lon << ' ' << lat;
      EXPECT_EQ(healpix_cell(lon + 360, lat, 9), healpix_cell(lon, lat, 9)) << lon << ' ' << lat;
    }
  EXPECT_EQ(healpix_cell(67, 41, 1), 1);
  EXPECT_EQ(healpix_cell(23, 41, 1), 2);
  EXPECT_EQ(healpix_cell(45, 80, 1), 3);
  EXPECT_EQ(healpix_cell(45, 90, 29), (std::int64_t{1} << 58) - 1) << "the pole is the last cell of a face";
  for (const double lat : {-89.9999, -41.81031489577862, -1.0, 0.0, 41.81031489577862, 63.0, 89.9999})
    for (const double lon : {0.0, 44.9, 90.0, 180.1, 359.999999})
      for (int order = 0; order < 29; ++order)
        ASSERT_EQ(healpix_cell(lon, lat, order + 1) / 4, healpix_cell(lon, lat, order)) << lon << ' ' << lat;
}

}  // namespace
}  // namespace reber
