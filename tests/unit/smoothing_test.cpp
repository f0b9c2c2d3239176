// SPDX-License-Identifier: BSD-3-Clause
// The common beam of planes: one that is far off does not spoil it for the others.
#include "core/studies/imaging/smoothing.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "core/base/error.hpp"

namespace reber {
namespace {

constexpr double kArcsec = 3600;

SmoothInput cube_of(const std::vector<double>& major_arcsec) {
  SmoothInput input;
  input.path = "cube.fits";
  input.cube = true;
  for (const double major : major_arcsec) {
    SmoothPlane plane;
    plane.plane = static_cast<std::int64_t>(input.planes.size());
    plane.own = Beam{major / kArcsec, 10 / kArcsec, 0};
    input.planes.push_back(plane);
  }
  return input;
}

TEST(CommonBeam, LeavesOutAPlaneOfMoreThanThreeMedians) {
  std::vector<SmoothInput> cube{cube_of({30, 31, 32, 30, 2781, 33, 30, 31, 30})};
  const auto told = aim_at_common_beam(cube, false);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_NE(told[0].find("plane 4"), std::string::npos) << told[0];
  EXPECT_NE(told[0].find("--max-beam"), std::string::npos) << told[0];
  EXPECT_FALSE(cube[0].planes[4].own.has_value());
  EXPECT_NEAR(cube[0].planes[0].target->major_deg * kArcsec, 33, 1e-9);
}

TEST(CommonBeam, KeepsBeamsOfUpToThreeMediansAndSmallSets) {
  std::vector<SmoothInput> cube{cube_of({30, 30, 30, 30, 89.9, 30, 30, 30, 30})};
  EXPECT_TRUE(aim_at_common_beam(cube, false).empty());
  EXPECT_NEAR(cube[0].planes[0].target->major_deg * kArcsec, 89.9, 1e-9);
  std::vector<SmoothInput> few{cube_of({30, 30, 30, 2781})};
  EXPECT_TRUE(aim_at_common_beam(few, false).empty());
}

TEST(CommonBeam, KeepsToTheLargestBeamThatIsAsked) {
  std::vector<SmoothInput> cube{cube_of({30, 40, 50})};
  EXPECT_EQ(aim_at_common_beam(cube, false, 45 / kArcsec).size(), 1U);
  EXPECT_NEAR(cube[0].planes[0].target->major_deg * kArcsec, 40, 1e-9);
  std::vector<SmoothInput> none{cube_of({30, 40})};
  EXPECT_EQ(aim_at_common_beam(none, false, 20 / kArcsec).size(), 2U);
  EXPECT_FALSE(none[0].planes[0].target.has_value());
}

}  // namespace
}  // namespace reber
