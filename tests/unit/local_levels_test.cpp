// SPDX-License-Identifier: BSD-3-Clause
// Levels under compact sources: bowls and haloes are found, points, neighbours and emission are none.
#include "core/measure/background/local_levels.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include "core/run/pipeline/background_stage.hpp"
#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

constexpr std::int64_t kSide = 101, kMiddle = 50;
constexpr double kBeam = 5;

double gaussian(double r, double fwhm) { return std::exp(-2.772589 * r * r / (fwhm * fwhm)); }

/// Noise of rms 1, a point of this peak in the middle, and `more` of the distance from it and of the place.
template <typename More>
std::vector<float> window(double peak, const More& more) {
  Random random(3);
  std::vector<float> snr;
  for (std::int64_t y = 0; y < kSide; ++y)
    for (std::int64_t x = 0; x < kSide; ++x) {
      const double dy = static_cast<double>(y - kMiddle), dx = static_cast<double>(x - kMiddle);
      snr.push_back(static_cast<float>(random.normal() + peak * gaussian(std::hypot(dy, dx), kBeam) + more(dy, dx)));
    }
  return snr;
}

std::optional<LevelRings::Levels> levels_of(const std::vector<float>& snr) {
  return LevelRings(kBeam).measure(snr, {0, 0, kSide, kSide}, kMiddle, kMiddle);
}

TEST(LocalLevels, of_a_bowl_its_depth_under_the_source_is_told) {
  for (const double width : {25.0, 40.0})
    for (const double depth : {-6.0, -2.0, 1.5}) {
      const auto levels =
          levels_of(window(200, [&](double dy, double dx) { return depth * gaussian(std::hypot(dy, dx), width); }));
      ASSERT_TRUE(levels);
      const auto profile = LevelRings(kBeam).profile(*levels);
      ASSERT_TRUE(profile);
      EXPECT_NEAR(profile->centre / depth, 1, 0.25) << width << " " << depth;
      EXPECT_LT(std::abs(profile->centre - depth), 4 * profile->error) << width << " " << depth;
      EXPECT_GT(profile->sigma, 4);
    }
}

TEST(LocalLevels, neighbours_in_a_sector_and_the_source_itself_are_no_level) {
  const auto levels =
      levels_of(window(1000, [](double dy, double dx) { return 50 * gaussian(std::hypot(dy - 11, dx - 4), 5); }));
  ASSERT_TRUE(levels);
  for (const double level : levels->level) EXPECT_LT(std::abs(level), 0.4);
}

TEST(LocalLevels, wide_sources_and_sources_cut_by_blanks_have_none) {
  EXPECT_FALSE(levels_of(window(0, [](double dy, double dx) { return 50 * gaussian(std::hypot(dy, dx), 8); })));
  EXPECT_FALSE(levels_of(window(100, [](double, double dx) { return dx > 6 ? std::nan("") : 0.0; })));
}

TEST(LocalLevels, of_an_image_mirrored_or_turned_are_the_same) {
  const auto bowl = [](double dy, double dx) { return -2 * gaussian(std::hypot(dy, dx), 25); };
  const std::vector<float> snr = window(200, bowl);
  std::vector<float> mirrored(snr.size()), turned(snr.size());
  for (std::int64_t y = 0; y < kSide; ++y)
    for (std::int64_t x = 0; x < kSide; ++x) {
      mirrored[y * kSide + kSide - 1 - x] = snr[y * kSide + x];
      turned[x * kSide + kSide - 1 - y] = snr[y * kSide + x];
    }
  const auto levels = levels_of(snr);
  ASSERT_TRUE(levels);
  for (const auto& other : {levels_of(mirrored), levels_of(turned)}) {
    ASSERT_TRUE(other);
    for (std::size_t ring = 0; ring < LevelRings::kRings; ++ring) {
      EXPECT_NEAR(other->level[ring], levels->level[ring], 1e-12);
      EXPECT_NEAR(other->error[ring], levels->error[ring], 1e-12);
    }
  }
}

/// Points of S/N 100 in white noise, every second in a bowl.
struct Field {
  Image image{{512, 512}};
  std::vector<std::pair<std::int64_t, std::int64_t>> bowls, others;
};
Field field() {
  Field made;
  Random random(8);
  for (std::int64_t y = 0; y < 512; ++y)
    for (std::int64_t x = 0; x < 512; ++x) made.image.at(y, x) = static_cast<float>(random.normal());
  for (std::int64_t k = 0; k < 16; ++k) {
    const std::int64_t cy = 64 + 128 * (k / 4), cx = 64 + 128 * (k % 4);
    const bool bowl = (k / 4 + k) % 2 == 0;
    (bowl ? made.bowls : made.others).emplace_back(cy, cx);
    for (std::int64_t y = cy - 60; y < cy + 60; ++y)
      for (std::int64_t x = cx - 60; x < cx + 60; ++x) {
        const double r = std::hypot(static_cast<double>(y - cy), static_cast<double>(x - cx));
        made.image.at(y, x) += static_cast<float>(100 * gaussian(r, kBeam) - (bowl ? 4 * gaussian(r, 30) : 0));
      }
  }
  return made;
}

TEST(LocalLevels, the_background_follows_bowls_and_nothing_else_on_all_backends_and_in_bands) {
  const Field sky = field();
  std::vector<float> first;
  for (const std::string& name : tested_backends())
    for (const bool bands : {false, true}) {
      Backend& tested = backend(name);
      const auto plane = bands ? load(tested, sky.image, 100) : load(tested, sky.image);
      const BackgroundModel model = measure_background(tested, *plane, {}, kBeam, {}, {}, true).model;
      EXPECT_GE(model.levels.size(), sky.bowls.size());  // the mesh gives some of a bowl to the points beside it
      const Image mean = render(tested, MapKind::mean, *plane, model);
      for (const auto& [y, x] : sky.bowls) EXPECT_NEAR(mean.at(y, x), -4, 0.6) << name << " " << y << " " << x;
      for (const auto& [y, x] : sky.others) EXPECT_NEAR(mean.at(y, x), 0, 0.3) << name << " " << y << " " << x;
      EXPECT_NEAR(mean.at(128, 128), 0, 0.3);
      if (first.empty()) first = model.mean;
      if (name != "reference") {
        EXPECT_EQ(model.mean, first) << name;
      }
    }
}

TEST(LocalLevels, without_any_the_model_stays) {
  BackgroundModel model = BackgroundModel::constant({64, 64}, 1, 2);
  const BackgroundModel got = with_levels(model, {}, kBeam);
  EXPECT_EQ(got.mean, model.mean);
  EXPECT_EQ(got.grid.rows, model.grid.rows);
}

TEST(LocalLevels, of_a_large_image_are_added_as_far_as_memory_goes_and_are_errors_beyond) {
  constexpr std::int64_t kMost = (std::int64_t{1} << 20) + 1;
  const BackgroundModel model = BackgroundModel::constant({10000, 10000}, 1, 2);
  std::vector<LocalLevel> levels;
  for (int k = 0; k < 90; ++k) levels.push_back({100.0 + 110 * k, 9900.0 - 107 * k, -0.5, 0.1, 30, 6 * kBeam});
  const BackgroundModel got = with_levels(model, levels, kBeam);
  EXPECT_LE(got.grid.ny() * got.grid.nx(), kMost);
  EXPECT_GT(got.grid.ny() * got.grid.nx(), kMost * 3 / 4);
  ASSERT_EQ(got.levels.size(), levels.size());
  EXPECT_EQ(got.levels.front().centre, -0.5);
  EXPECT_EQ(got.levels.front().error, 0.1);
  EXPECT_EQ(got.levels.back().centre, 0);
  EXPECT_EQ(got.levels.back().error, 0.5);
}

}  // namespace
}  // namespace reber::testing
