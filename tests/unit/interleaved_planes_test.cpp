// SPDX-License-Identifier: BSD-3-Clause
// Cubes whose first axis is that of the planes: rows of all planes in one reading.
#include <gtest/gtest.h>

#include <numeric>

#include "core/base/error.hpp"
#include "core/files/image/image_file.hpp"
#include "core/sky/model/rectangle_source.hpp"
#include "tests/unit/fits_files.hpp"

namespace reber {
namespace {

TEST(InterleavedPlanes, AreReadTogetherAndAsOneByOne) {
  for (const bool gathered : {false, true}) {
    std::vector<std::string> cards = {"SIMPLE  = T", "BITPIX  = -32", "NAXIS   = 3",
                                      "NAXIS1  = 7", "NAXIS2  = 6",   "NAXIS3  = 5"};
    for (std::string c : testing_files::sky_cards()) {
      if (gathered && (c[5] == '1' || c[5] == '2')) c[5] = static_cast<char>(c[5] + 1);
      cards.push_back(c);
    }
    std::vector<float> ramp(210);
    std::iota(ramp.begin(), ramp.end(), 0.0F);
    const testing_files::TemporaryFolder folder;
    testing_files::save(folder.file("cube.fits"), testing_files::header(cards) + testing_files::data_blocks(ramp));
    const auto file = open_image_file(folder.file("cube.fits"), {}, Planes::many);
    std::vector<std::unique_ptr<PixelSource>> sources;
    std::vector<const RectangleSource*> planes;
    std::vector<std::vector<std::byte>> got, want;
    std::vector<std::byte*> places;
    const auto bytes = static_cast<std::size_t>(2 * file->shape().nx * 4);
    for (const std::int64_t plane : {3, 0, 4}) {
      sources.push_back(file->pixels(plane, {}));
      planes.push_back(sources.back()->rectangle_source());
      got.emplace_back(bytes), want.emplace_back(bytes);
      sources.back()->read_rows(1, 2, want.back().data());
    }
    for (auto& one : got) places.push_back(one.data());
    EXPECT_EQ(planes[0]->read_planes(planes, 1, 2, places), gathered);
    if (gathered) {
      EXPECT_EQ(got, want);
    }
    EXPECT_FALSE(planes[0]->read_planes(std::span(planes).first(1), 1, 2, places));
    EXPECT_THROW((void)planes[0]->read_planes(planes, file->shape().ny - 1, 2, places), InternalError);
  }
}

}  // namespace
}  // namespace reber
