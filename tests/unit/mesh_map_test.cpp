// SPDX-License-Identifier: BSD-3-Clause
// Maps at the nodes of a mesh: the bits of the nodes, where they stand on the sky, and what is refused.
#include "core/files/fits/mesh_map.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/files/fits/mesh_cards.hpp"
#include "core/run/pipeline/mesh_maps.hpp"
#include "core/sky/model/fits_cards.hpp"
#include "tests/unit/fits_files.hpp"

namespace reber {
namespace {

using testing_files::load;
using testing_files::save;

using testing_files::TemporaryFolder;

const Shape kImage{500, 700};

MeshMap map_of(const MeshGrid& grid) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < grid.ny() * grid.nx(); ++i) values.push_back(0.1f + static_cast<float>(i) * 1e-3f);
  return mesh_map_of(grid, values);
}

/// An image with those cards, written and opened.
ImagePlane image_with(const TemporaryFolder& folder, const std::vector<std::string>& cards) {
  OutputHeader header;
  header.cards = cards;
  write_fits(folder.file("image.fits"), kImage, header,
             FloatRows([](std::int64_t, std::int64_t ny, float* out) { std::fill_n(out, ny * kImage.nx, 1.0f); }),
             true);
  return ImagePlane::open(folder.file("image.fits"));
}

std::vector<std::string> sky_with(const std::vector<std::string>& scale) {
  std::vector<std::string> cards{"CTYPE1  = 'RA---SIN'", "CTYPE2  = 'DEC--SIN'", "CRVAL1  = 180.0",
                                 "CRVAL2  = -30.0",      "CRPIX1  = 123.25",     "CRPIX2  = 456.5"};
  cards.insert(cards.end(), scale.begin(), scale.end());
  return cards;
}

TEST(MeshMap, ReadsTheBitsAndPlacesThatItWrote) {
  const TemporaryFolder folder;
  for (const MeshGrid& grid : {MeshGrid::make(kImage, 64), MeshGrid::make(kImage, 1000),
                               MeshGrid::sliding(kImage, 100, 31), MeshGrid::make(kImage, 1)}) {
    const MeshMap map = map_of(grid);
    write_mesh_map(folder.file("m.fits"), map, {}, true);
    OpenOptions checked;
    checked.check = true;
    const auto found = read_mesh_map(ImagePlane::open(folder.file("m.fits"), checked));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->values, map.values);
    EXPECT_TRUE(same_nodes(grid, *found));
    const MeshGrid again = grid_of(*found);
    const MeshAxis before = mesh_axis(grid.cols, kImage.nx), after = mesh_axis(again.cols, kImage.nx);
    EXPECT_EQ(before.node, after.node);
    EXPECT_EQ(before.weight, after.weight);
  }
}

TEST(MeshMap, ItsPixelsStandWhereTheNodesStandInTheImage) {
  const std::vector<std::vector<std::string>> scales{
      {"CDELT1  = -0.001", "CDELT2  = 0.0012"},
      {"CDELT1  = -0.001", "CDELT2  = 0.0012", "CROTA2  = 30.0"},
      {"CD1_1   = -0.0009", "CD1_2   = 0.0003", "CD2_1   = 0.0004", "CD2_2   = 0.0011"},
      {"CDELT1  = -0.001", "CDELT2  = 0.0012", "PC1_2   = 0.3", "PC2_1   = -0.2"},
      {"CDELT1  = -0.001", "CDELT2  = 0.0012", "PC001001= 0.9", "PC001002= 0.3", "PC002001= -0.3", "PC002002= 0.9"},
  };
  for (const auto& scale : scales) {
    const TemporaryFolder folder;
    const ImagePlane image = image_with(folder, sky_with(scale));
    ASSERT_TRUE(image.header().wcs.celestial()) << image.header().wcs.why_not();
    OutputHeader header;
    header.like = &image.header();
    const MeshMap map = map_of(MeshGrid::make(kImage, 100));  // cells of 100 x 100 pixels: evenly spaced nodes
    write_mesh_map(folder.file("m.fits"), map, header, true);
    const ImagePlane small = ImagePlane::open(folder.file("m.fits"));
    ASSERT_TRUE(small.header().wcs.celestial()) << small.header().wcs.why_not();
    for (const std::size_t j : {std::size_t{0}, map.y.size() - 1})
      for (const std::size_t i : {std::size_t{0}, std::size_t{3}, map.x.size() - 1}) {
        const auto there = image.header().wcs.to_sky(map.x[i], map.y[j]);
        const auto here = small.header().wcs.to_sky(static_cast<double>(i), static_cast<double>(j));
        ASSERT_TRUE(there && here);
        EXPECT_NEAR(here->lon_deg, there->lon_deg, 1e-11) << scale.back();
        EXPECT_NEAR(here->lat_deg, there->lat_deg, 1e-11) << scale.back();
      }
  }
}

TEST(MeshMap, SipCoefficientsFollowTheScale) {
  std::string cards;
  for (const char* card : {"A_2_0   = 4.0", "B_1_1   = 4.0", "A_ORDER = 2", "CRPIX1  = 11.0", "CTYPE1A = 'X'"})
    cards += testing_files::card(card);
  const std::string out = fits::coarse_cards(cards, {{{5.5, 10}, {3, 4}}});
  const fits::CardTable table(out);
  EXPECT_EQ(table.number("A_2_0"), 4.0 * 100 / 10);
  EXPECT_EQ(table.number("B_1_1"), 4.0 * 40 / 4);
  EXPECT_EQ(table.number("A_ORDER"), 2);
  EXPECT_EQ(table.number("CRPIX1"), 1 + 5.5 / 10);
  EXPECT_EQ(table.number("CDELT1A"), 10) << "a scale of 1 that no card says";
}

TEST(MeshMap, AnOrdinaryImageIsNoneAndADamagedMeshIsRefused) {
  const TemporaryFolder folder;
  EXPECT_FALSE(read_mesh_map(image_with(folder, {})));
  write_mesh_map(folder.file("m.fits"), map_of(MeshGrid::make(kImage, 64)), {}, true);
  const std::string good = load(folder.file("m.fits"));
  const auto refused = [&](const std::string& from, const std::string& to, const std::string& word) {
    std::string bad = good;
    const std::size_t at = bad.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    bad.replace(at, from.size(), to);
    save(folder.file("bad.fits"), bad);
    try {
      (void)read_mesh_map(ImagePlane::open(folder.file("bad.fits")));
      FAIL() << "took a mesh with " << to;
    } catch (const DataError& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  };
  refused("'BILINEAR'", "'BICUBIC '", "INTERPOL");
  refused("MESHAX1 =                  700", "MESHAX1 =                  600", "extension 1");
  refused("MESHAX2 =                  500", "MESHAX2 =                   -5", "MESHAX");
}

}  // namespace
}  // namespace reber
