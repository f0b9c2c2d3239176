// SPDX-License-Identifier: BSD-3-Clause
// Files on which frequencies or velocities were wrong: what they say by FITS paper III, worked out by hand.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "core/files/image/image_file.hpp"
#include "core/run/cube/cube_source.hpp"
#include "core/run/cube/spectral_axis.hpp"
#include "core/sky/model/image_header.hpp"
#include "tests/support/testing.hpp"

namespace reber {
namespace {

const std::filesystem::path kReported = std::filesystem::path(testing::data_folder()) / "reported";

TEST(ReportedSpectral, the_matrix_holds_beside_a_step) {
  if (!std::filesystem::exists(kReported)) GTEST_SKIP() << testing::no_data();
  for (const char* name : {"cd33.fits", "pc33.fits", "ref.fits"}) {
    const CubeSource cube = CubeSource::open(kReported / "04_cd33_with_cdelt1" / name, {});
    const auto header = cube.header(3);
    EXPECT_NEAR(header->wcs.frequency_hz(), 1306e6, 1e-3) << name;
    const std::vector<std::int64_t> planes{3};
    EXPECT_NEAR(spectral_coordinates(*header, planes).at[0], -229.726, 5e-4) << name;
  }
}

TEST(ReportedSpectral, a_velocity_is_the_same_in_every_spelling_of_its_unit) {
  if (!std::filesystem::exists(kReported)) GTEST_SKIP() << testing::no_data();
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kReported / "05_velocity_unit_spellings")) {
    if (entry.path().extension() != ".fits") continue;
    const auto header = CubeSource::open(entry.path(), {}).header(4);
    const std::vector<std::int64_t> planes{4};
    EXPECT_NEAR(spectral_coordinates(*header, planes).at[0], 31, 1e-9) << entry.path();
    EXPECT_NEAR(header->wcs.frequency_hz(), 1.4202589e9, 50) << entry.path();
    ++files;
  }
  EXPECT_EQ(files, 8);
}

TEST(ReportedSpectral, every_kind_of_axis_gives_its_frequency) {
  if (!std::filesystem::exists(kReported)) GTEST_SKIP() << testing::no_data();
  const std::map<const char*, double> wanted{
      {"q_velo.fits", 1.4063327e9},    {"q_felo.fits", 1.4063327e9},   {"q_vopt.fits", 1.4063327e9},
      {"q_wave_um.fits", 352.69701e9}, {"q_wave_A.fits", 352.69701e9}, {"q_speclnmf.fits", 1.284e9},
      {"q_ax3.fits", 144e6},           {"q_ax4.fits", 888e6},          {"q_rest.fits", 150e6}};
  for (const auto& [name, frequency] : wanted)
    EXPECT_NEAR(CubeSource::open(kReported / "35_frequency_sources" / name, {}).header(0)->wcs.frequency_hz(),
                frequency, 1e-7 * frequency)
        << name;
}

}  // namespace
}  // namespace reber
