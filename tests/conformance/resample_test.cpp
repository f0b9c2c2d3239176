// SPDX-License-Identifier: BSD-3-Clause
// Pixels of another grid: near the reference's, the same bits on every backend, for any band and any rectangle.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/sky/model/place_grid.hpp"
#include "core/sky/model/resample_table.hpp"
#include "tests/conformance/grid_wcs.hpp"
#include "tests/conformance/streamed_planes.hpp"
#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

constexpr Shape kInput{301, 411};

struct Case {
  std::string name;
  Wcs output, input;
  Shape shape;
};

std::vector<Case> cases() {
  const double px = 2.0 / 3600;
  const Wcs field = grid_wcs("SIN", 150, -30, px, 0, kInput);
  const Wcs sky = grid_wcs("CAR", 30, 0, 1, 0, kInput);
  return {{"turned", grid_wcs("SIN", 150.01, -30.02, px, 33, {333, 290}), field, {333, 290}},
          {"coarser", grid_wcs("TAN", 150, -30, 3.3 * px, 90, {100, 120}), field, {100, 120}},
          {"finer", grid_wcs("ZEA", 150.02, -30, 0.31 * px, -12, {200, 500}), field, {200, 500}},
          {"the same", field, field, kInput},
          {"all sky", grid_wcs("AIT", 10, 0, 0.9, 0, {230, 400}), sky, {230, 400}},
          {"elsewhere", grid_wcs("SIN", 50, 30, px, 0, {70, 70}), field, {70, 70}}};
}

Image resampled(Backend& backend, const Image& image, std::int64_t band, const PlaceGrid& places,
                const ResampleTable& table) {
  return store(backend, *backend.resample(*load(backend, image, band), places, table));
}

TEST(Resample, is_that_of_the_reference) {
  const Image image = random_image(kInput, 0.01, 41);
  for (const Case& one : cases()) {
    const PlaceGrid places(PlaceMap(one.output, one.input), {0, 0, one.shape.ny, one.shape.nx});
    for (const Interpolation how : {Interpolation::fitted, Interpolation::bilinear, Interpolation::nearest}) {
      const ResampleTable table = resample_table(how, Covariance{9, 1, 7});
      const Image expected = resampled(backend("reference"), image, 0, places, table);
      Image first;
      for (const std::string& name : tested_backends())
        for (const std::int64_t band : {0, 19}) {
          SCOPED_TRACE(fmt::format("{} {} {} band {}", one.name, to_string(how), name, band));
          const Image got = resampled(backend(name), image, band, places, table);
          EXPECT_TRUE(close_images(got, expected, {3e-4}));  // pixels of up to 1000
          if (first.shape().count() == 0) first = got.clone();
          EXPECT_TRUE(same_bits(got, first));
        }
    }
  }
}

TEST(Resample, a_rectangle_is_a_part_of_the_whole) {
  const Image image = random_image(kInput, 0.03, 7);
  const ResampleTable table = resample_table(Interpolation::fitted, Covariance{9, 0, 9});
  const Case one = cases().front();
  const PlaceMap map(one.output, one.input);
  const PlaceGrid all(map, {0, 0, one.shape.ny, one.shape.nx}), some(map, {101, 67, 150, 99});
  for (const std::string& name : tested_backends()) {
    const Image whole = resampled(backend(name), image, 0, all, table),
                part = resampled(backend(name), image, 0, some, table);
    for (std::int64_t y = 0; y < 150; ++y)
      for (std::int64_t x = 0; x < 99; ++x) {
        const float a = whole.at(y + 101, x + 67), b = part.at(y, x);
        ASSERT_TRUE(a == b || (std::isnan(a) && std::isnan(b))) << name << " " << y << " " << x;
      }
  }
}

TEST(Resample, the_default_has_the_same_bits) {
  const Image image = random_image(kInput, 0.02, 5);
  for (const Case& one : cases()) {
    const PlaceGrid places(PlaceMap(one.output, one.input), {0, 0, one.shape.ny, one.shape.nx});
    const ResampleTable table = resample_table(Interpolation::fitted, Covariance{6.5, 0, 9});
    Backend& cpu = backend("cpu");
    const auto plane = load(cpu, image);
    const Image expected = store(cpu, *cpu.Backend::resample(*plane, places, table, {}));
    const auto got = cpu.resample(*plane, places, table);
    EXPECT_TRUE(same_bits(store(cpu, *got), expected)) << one.name;
    std::int64_t blank = 0;
    for (std::int64_t i = 0; i < expected.shape().count(); ++i) blank += std::isfinite(expected.data()[i]) ? 0 : 1;
    EXPECT_EQ(got->blank(), blank);
  }
}

TEST(Resample, a_grid_on_itself_is_a_copy) {
  const Image image = random_image(kInput, 0.05, 3);
  const Case same = cases()[3];
  const PlaceGrid places(PlaceMap(same.output, same.input), {0, 0, kInput.ny, kInput.nx});
  for (const std::string& name : tested_backends())
    EXPECT_TRUE(
        same_bits(resampled(backend(name), image, 0, places, resample_table(Interpolation::fitted, {})), image));
}

}  // namespace
}  // namespace reber::testing
