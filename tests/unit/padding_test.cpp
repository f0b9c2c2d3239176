// SPDX-License-Identifier: BSD-3-Clause
// Zeros around the part of an image that was measured are blank; zeros of other kinds are pixels.
#include "core/measure/background/padding.hpp"

#include <cmath>
#include <functional>
#include <string>

#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

constexpr Shape kShape{220, 180}, kLarge{3000, 3000};
using Value = std::function<double(std::int64_t y, std::int64_t x, double noise)>;

/// Blank pixels of what is made of an image, on every backend, resident and in bands.
void expect_blank(const Value& value, int bitpix, std::int64_t blank, Shape shape = kShape) {
  Image image(shape);
  Random random(3);
  for (std::int64_t y = 0; y < shape.ny; ++y)
    for (std::int64_t x = 0; x < shape.nx; ++x) image.at(y, x) = static_cast<float>(value(y, x, random.normal()));
  for (const std::string& name : tested_backends())
    for (const std::int64_t band : {std::int64_t{0}, shape.ny / 6 + 1}) {
      const std::shared_ptr<const Plane> plane = load(backend(name), image, band);
      const auto [made, words] = without_padding(backend(name), plane, bitpix, {});
      EXPECT_EQ(made == plane, blank == 0) << name;
      EXPECT_EQ(words.empty(), blank == 0) << name;
      const Image got = store(backend(name), *made);
      std::int64_t count = 0;
      for (std::int64_t k = 0; k < shape.count(); ++k) {
        count += std::isfinite(got.data()[k]) ? 0 : 1;
        if (std::isfinite(got.data()[k])) {
          EXPECT_EQ(got.data()[k], image.data()[k]);
        }
      }
      EXPECT_EQ(count, blank) << name;
    }
}

bool in_corner(std::int64_t y, std::int64_t x) { return y + x < 60; }  // 60 x 61 / 2 pixels

TEST(Padding, is_blank) {
  expect_blank([](auto y, auto x, double noise) { return in_corner(y, x) ? 0 : 1e-5 * noise; }, -32, 1830);
  expect_blank([](auto y, auto x, double noise) { return in_corner(y, x) ? -0.0 : 500 + noise; }, -64, 1830);
}

TEST(Padding, is_none_of_integers) {
  expect_blank([](auto y, auto x, double noise) { return in_corner(y, x) ? 0 : std::round(noise); }, 16, 0);
}

TEST(Padding, is_no_few_pixels_and_no_hole) {
  expect_blank([](auto y, auto x, double noise) { return y + x < 40 ? 0 : noise; }, -32, 0);
  expect_blank([](auto y, auto x, double noise) { return y > 50 && y < 120 && x > 50 && x < 120 ? 0 : noise; }, -32, 0);
}

TEST(Padding, is_not_what_a_model_without_noise_leaves_empty) {
  expect_blank(
      [](auto y, auto x, double) {
        const double r2 = std::pow(static_cast<double>(y) - 110, 2) + std::pow(static_cast<double>(x) - 90, 2);
        return r2 < 900 ? std::exp(-r2 / 100) : 0;
      },
      -32, 0);
}

TEST(Padding, of_a_large_image_is_judged_by_some_of_its_pixels) {
  expect_blank([](auto y, auto x, double noise) { return in_corner(y, x) ? 0 : 1e-5 * noise; }, -32, 1830, kLarge);
  // So little noise that few of them meet it: then all do.
  expect_blank([](auto y, auto, double noise) { return y == 1000 ? 1e-5 * noise : 0; }, -32, 2999 * 3000, kLarge);
  expect_blank([](auto y, auto x, double) { return std::hypot(y - 1500.0, x - 1500.0) < 1200 ? 1 : 0; }, -32, 0,
               kLarge);
}

}  // namespace
}  // namespace reber::testing
