// SPDX-License-Identifier: BSD-3-Clause
// Where ink lies on a picture and a plot, in cells of 16 x 16 pixels: letters differ from font to font, places do not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "core/show/picture/panels.hpp"
#include "core/show/picture/picture.hpp"
#include "tests/support/source_file.hpp"
#include "tests/unit/fits_files.hpp"
#include "tests/unit/png_rows.hpp"

namespace reber {
namespace {

using testing_files::card;
using testing_files::load;
using testing_files::sky_cards;
using testing_files::TemporaryFolder;

/// A line per row of cells: ' ' white, '.' a little ink, '+' some, '#' mostly ink.
std::vector<std::string> layout_of(const std::string& png) {
  constexpr std::size_t kCell = 16;
  const std::size_t width = png_number(png, 16), height = png_number(png, 20), line = 3 * width + 1;
  const std::string rows = png_rows(png, line * height);
  std::vector<std::string> cells((height + kCell - 1) / kCell, std::string((width + kCell - 1) / kCell, ' '));
  for (std::size_t y = 0; y < cells.size(); ++y)
    for (std::size_t x = 0; x < cells[y].size(); ++x) {
      double ink = 0, count = 0;
      for (std::size_t v = y * kCell; v < std::min(height, (y + 1) * kCell); ++v)
        for (std::size_t u = x * kCell; u < std::min(width, (x + 1) * kCell); ++u, ++count)
          ink += 1 - static_cast<unsigned char>(rows[v * line + 1 + 3 * u + 1]) / 255.0;  // of green
      ink /= count;
      cells[y][x] = ink < 0.01 ? ' ' : ink < 0.1 ? '.' : ink < 0.45 ? '+' : '#';
    }
  return cells;
}

/// Steps by which cells differ from the golden file's, of all that are inked in either; a step is from ' ' to '.'.
void expect_layout(const std::string& name, const std::string& png) {
  const std::string path = testing::source_file("tests/unit/layouts/" + name + ".txt");
  const std::vector<std::string> got = layout_of(png);
  std::ifstream file(path);
  std::vector<std::string> wanted;
  for (std::string line; std::getline(file, line);) wanted.push_back(line.substr(0, line.rfind('|')));
  std::string text;
  for (const std::string& line : got) text += line + "|\n";
  ASSERT_EQ(wanted.size(), got.size()) << path << '\n' << text;
  const std::string steps = " .+#";
  double inked = 0, other = 0;
  for (std::size_t y = 0; y < got.size(); ++y) {
    ASSERT_EQ(wanted[y].size(), got[y].size()) << path << " line " << y + 1 << '\n' << text;
    for (std::size_t x = 0; x < got[y].size(); ++x) {
      const auto a = static_cast<double>(steps.find(got[y][x])), b = static_cast<double>(steps.find(wanted[y][x]));
      inked += std::max(a, b);
      other += std::abs(a - b);
    }
  }
  // Cairo's own strokes, drawn where no font is installed, differ by 6.5 %; all of it moved by a cell, by 56 %.
  EXPECT_LT(other, 0.08 * inked) << path << '\n' << text;
}

TEST(PictureLayout, OfASkyWithSources) {
  std::string cards;
  for (const std::string& line : sky_cards()) cards += card(line);
  const Shape shape{300, 300};
  ImageHeader header;
  header.shape = shape;
  header.unit = Unit::parse("Jy/beam");
  header.beam = Beam{0.01, 0.008, 30};
  header.wcs = Wcs::parse(cards + card("END"), 0, 1, {1, 1}, 2, 300, 300);
  const PixelRows rows = [&](std::int64_t y0, std::int64_t ny, float* out) {
    for (std::int64_t y = y0; y < y0 + ny; ++y)
      for (std::int64_t x = 0; x < shape.nx; ++x)
        *out++ = x < 60 && y < 40 ? std::nanf("") : static_cast<float>(std::hypot(x - 200, y - 120) < 40);
  };
  Catalogue sources;
  sources.columns = {{{"Xposn", "pix", "", ""}, std::vector<double>{200, 80}},
                     {{"Yposn", "pix", "", ""}, std::vector<double>{120, 220}},
                     {{"Maj", "deg", "", ""}, std::vector<double>{0.2, 0.1}},
                     {{"Min", "deg", "", ""}, std::vector<double>{0.1, 0.1}},
                     {{"PA", "deg", "", ""}, std::vector<double>{30, 0}}};
  const TemporaryFolder folder;
  PictureOptions options;
  options.high = 2;
  options.title = "A field of two sources";
  write_sky_picture(folder.file("p.png"), shape, rows, header, &sources, options);
  expect_layout("sky", load(folder.file("p.png")));
}

TEST(PictureLayout, OfPanels) {
  Panel curve, cloud;
  curve.title = "completeness";
  curve.x_label = "S/N";
  curve.y_label = "found of injected";
  curve.log_x = true;
  curve.series.push_back(
      {"all", {3, 6, 12, 50, 100}, {0.1, 0.6, 0.9, 1, 1}, {0, 0.5, 0.8, 0.9, 0.9}, {0.2, 0.7, 1, 1, 1}, true});
  curve.series.push_back({"noise alone", {3, 6, 12, 100}, {0.05, 0.7, 1, 1}, {}, {}, true, false});
  cloud.title = "offsets";
  cloud.x_label = "in longitude, arcsec";
  cloud.y_label = "in latitude, arcsec";
  cloud.circle = 5;
  cloud.x_lines = cloud.y_lines = {0};
  cloud.x_range = cloud.y_range = std::pair(-6.0, 6.0);
  PanelSeries& points = cloud.series.emplace_back();
  points.strong = false;
  for (int k = 0; k < 200; ++k) {
    points.x.push_back(4 * std::sin(k) * std::cos(7 * k));
    points.y.push_back(4 * std::sin(k) * std::sin(7 * k));
  }
  const TemporaryFolder folder;
  write_panels(folder.file("a.png"), "10^{-3} of all", {curve, cloud}, 2, false);
  expect_layout("panels", load(folder.file("a.png")));
}

}  // namespace
}  // namespace reber
