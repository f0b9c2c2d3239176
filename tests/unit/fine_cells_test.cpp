// SPDX-License-Identifier: BSD-3-Clause
// Smaller cells near bright sources: the values of all cells measured, blended in where they have a weight.
#include "core/measure/background/fine_cells.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/measure/background/mesh_nodes.hpp"
#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

constexpr Shape kShape{900, 1200};

/// Every cell measured, mended and filtered, and weighed against the coarse model.
BackgroundModel of_all_cells(Backend& backend, const Plane& plane, const BackgroundModel& coarse, const FineCells& fine,
                             const std::vector<BrightSource>& sources, const MeshOptions& options) {
  BackgroundModel all = finish_mesh(fine.grid, backend.mesh(plane, fine.grid, options), options);
  const BackgroundModel outside = resampled(coarse, fine.grid);
  for (std::int64_t j = 0; j < fine.grid.ny(); ++j)
    for (std::int64_t i = 0; i < fine.grid.nx(); ++i) {
      double closest = fine.far;
      for (const BrightSource& source : sources)
        closest = std::min(
            closest, std::hypot(source.y - centre_of(fine.grid.rows[j]), source.x - centre_of(fine.grid.cols[i])));
      const double weight = std::clamp((fine.far - closest) / (fine.far - fine.near), 0.0, 1.0);
      const auto at = static_cast<std::size_t>(j * fine.grid.nx() + i);
      all.mean[at] = static_cast<float>(weight * all.mean[at] + (1 - weight) * outside.mean[at]);
      all.rms[at] = static_cast<float>(weight * all.rms[at] + (1 - weight) * outside.rms[at]);
    }
  return all;
}

struct Sky {
  std::unique_ptr<Plane> plane;
  BackgroundModel coarse;
  FineCells fine;
};
Sky sky_of(Backend& tested, const Image& image, const MeshOptions& options) {
  Sky sky{load(tested, image), {}, {MeshGrid::sliding(kShape, 30, 9), 30, 110}};
  const MeshGrid grid = MeshGrid::sliding(kShape, 80, 40);
  sky.coarse = finish_mesh(grid, tested.mesh(*sky.plane, grid, options), options);
  return sky;
}

TEST(fine_cells, are_those_of_the_whole_grid_where_they_have_a_weight) {
  const Image image = random_image(kShape, 0.05, 11);
  const std::vector<std::vector<BrightSource>> skies{{{450, 600, 90}},
                                                     {{0, 0, 90}, {899, 1199, 90}, {5, 1190, 90}},
                                                     {{300, 300, 90}, {310, 420, 80}, {700, 900, 70}, {450, 20, 60}}};
  for (const std::string& name : tested_backends())
    for (const int filter : {1, 5}) {
      MeshOptions options;
      options.filter = filter;
      Backend& tested = backend(name);
      const Sky sky = sky_of(tested, image, options);
      for (const auto& sources : skies) {
        const auto got = with_fine_cells({tested, *sky.plane, {}}, sky.coarse, sky.fine, sources, options);
        ASSERT_TRUE(got);
        const BackgroundModel right = of_all_cells(tested, *sky.plane, sky.coarse, sky.fine, sources, options);
        EXPECT_EQ(got->mean, right.mean) << name;
        EXPECT_EQ(got->rms, right.rms) << name;
        EXPECT_NE(got->rms, resampled(sky.coarse, sky.fine.grid).rms);
      }
    }
}

TEST(fine_cells, a_blank_part_beside_a_source_takes_what_is_near) {
  Image image = random_image(kShape, 0, 12);
  for (std::int64_t y = 400; y < 520; ++y)
    for (std::int64_t x = 560; x < 900; ++x) image.at(y, x) = std::numeric_limits<float>::quiet_NaN();
  const MeshOptions options;
  const Sky sky = sky_of(backend("cpu"), image, options);
  const auto got = with_fine_cells({backend("cpu"), *sky.plane, {}}, sky.coarse, sky.fine, {{450, 540, 90}}, options);
  ASSERT_TRUE(got);
  EXPECT_TRUE(std::ranges::all_of(got->rms, [](float rms) { return rms > 0.5f && rms < 2; }));
}

TEST(fine_cells, none_is_usable_in_a_blank_place) {
  Image image = random_image(kShape, 0, 13);
  for (std::int64_t y = 0; y < 400; ++y)
    for (std::int64_t x = 0; x < 400; ++x) image.at(y, x) = std::numeric_limits<float>::quiet_NaN();
  const MeshOptions options;
  const Sky sky = sky_of(backend("cpu"), image, options);
  EXPECT_FALSE(with_fine_cells({backend("cpu"), *sky.plane, {}}, sky.coarse, sky.fine, {{100, 100, 90}}, options));
}

TEST(mesh_nodes, the_middle_value_is_that_of_the_sorted_ones) {
  for (const std::int64_t count : {1, 2, 3, 10, 4097, 200'000}) {
    const Image image = random_image({1, count}, 0, 5 + static_cast<unsigned>(count));
    std::vector<float> values(image.data(), image.data() + count);
    for (std::size_t k = 0; k < values.size(); k += 3) values[k] = -0.0f;
    std::vector<float> sorted = values;
    std::ranges::sort(sorted);
    EXPECT_EQ(middle_value(values), sorted[sorted.size() / 2]) << count;
    EXPECT_FALSE(std::signbit(middle_value(std::vector<float>(values.size(), -0.0f))));
  }
}

}  // namespace
}  // namespace reber::testing
