// SPDX-License-Identifier: BSD-3-Clause
// A-trous smoothing against planes that PyBDSF wrote.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "core/files/image/image_file.hpp"
#include "core/run/pipeline/detection_planes.hpp"
#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

class GoldenWavelets : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!have_data()) GTEST_SKIP() << no_data();
  }
};

std::unique_ptr<Plane> load_file(Backend& backend, const std::string& name) {
  const ImagePlane image =
      ImagePlane::open(fmt::format("{}/images/lofar_sim/pybdsf_atrous_{}.fits", data_folder(), name));
  TilingPlan whole;
  whole.band_rows = image.header().shape.ny;
  const auto pixels = image.pixels();
  return backend.load(*pixels, whole, {});
}

// The planes of that run are the smoothed ones, c_j, from the second on each made of the one before (the first was
// followed by a subtraction of sources). They are doubles; ours are floats.
TEST_P(GoldenWavelets, each_plane_follows_from_the_one_before) {
  Backend& tested = backend(GetParam());
  for (const auto& [from, to, j] : {std::tuple{"w2", "w3", 3}, {"w3", "w4", 4}, {"w3", "cJ", 4}}) {
    SCOPED_TRACE(fmt::format("{} to {}", from, to));
    const auto before = load_file(tested, from);
    const auto got = smoothed_by_b3(tested, *before, j, {});
    const Image expected = store(tested, *load_file(tested, to));
    const auto largest = tested.statistics(*before);
    const double scale = std::max(std::abs(largest.min), std::abs(largest.max));
    EXPECT_TRUE(close_images(store(tested, *got), expected, {3e-7 * scale}));
    const Image detail = store(tested, *tested.derive(CombinedPlane{PlaneRule::difference, *before, *got}));
    const Image wanted =
        store(tested, *tested.derive(CombinedPlane{PlaneRule::difference, *before, *load_file(tested, to)}));
    EXPECT_TRUE(close_images(detail, wanted, {4e-7 * scale}));
  }
}

INSTANTIATE_TEST_SUITE_P(backends, GoldenWavelets, ::testing::ValuesIn(tested_backends()),
                         [](const auto& instance) { return instance.param; });

}  // namespace
}  // namespace reber::testing
