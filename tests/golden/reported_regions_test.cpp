// SPDX-License-Identifier: BSD-3-Clause
// Region files whose pixels were counted by CASA, or follow from the sizes in them.
#include <gtest/gtest.h>

#include <filesystem>

#include "core/files/image/image_file.hpp"
#include "core/sky/mask/region_mask.hpp"
#include "core/sky/model/image_header.hpp"
#include "tests/support/testing.hpp"

namespace reber {
namespace {

const std::filesystem::path kReported = std::filesystem::path(testing::data_folder()) / "reported";

std::int64_t pixels_of(const std::filesystem::path& image, const std::filesystem::path& regions) {
  const ImageHeader header = ImagePlane::open(image.string(), {}).header();
  return mask_of(read_regions(regions.string(), header.wcs), header.shape).count();
}

TEST(ReportedRegions, hours_and_axes_of_casa_regions) {
  const auto folder = kReported / "16_crtf_hours";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << testing::no_data();
  EXPECT_EQ(pixels_of(folder / "field.fits", folder / "rotbox.crtf"), 798);
  EXPECT_EQ(pixels_of(folder / "field.fits", folder / "ell.crtf"), 1132);
  EXPECT_EQ(pixels_of(folder / "field.fits", folder / "oblate.crtf"), 1132);
  EXPECT_EQ(pixels_of(folder / "field.fits", folder / "annulus.crtf"), 1660);
}

TEST(ReportedRegions, casa_regions_without_a_frame_have_the_images) {
  const auto folder = kReported / "17_crtf_without_coord";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << testing::no_data();
  EXPECT_EQ(pixels_of(folder / "gal.fits", folder / "nocoord.crtf"), 716);
  EXPECT_EQ(pixels_of(folder / "b1950.fits", folder / "nocoord2.crtf"), 716);
}

}  // namespace
}  // namespace reber
