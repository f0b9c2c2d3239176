// SPDX-License-Identifier: BSD-3-Clause
// Convolutions whose rows are made when they are asked for: the bits of those that are made at once.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

/// The image again, asked for by `rows` rows at a time from row `first` on, then those above.
Image by_bands(Backend& tested, const Plane& plane, std::int64_t rows, std::int64_t first) {
  const Shape shape = plane.shape();
  Image out(shape);
  const auto ask = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t y = begin; y < end; y += rows)
      tested.render_rows(MapKind::image, plane, nullptr, y, std::min(rows, end - y), out.data() + y * shape.nx);
  };
  ask(first, shape.ny);
  ask(0, first);
  return out;
}

TEST(RowsLater, are_the_rows_of_a_convolution_at_once) {
  const Shape shape{700, 410};
  for (const double blank : {0.0, 0.02}) {
    const Image image = random_image(shape, blank, 11);
    for (const Kernel& kernel :
         {gaussian_kernel({20, 6, 12}, Normalise::sum), gaussian_kernel({160, 0, 120}, Normalise::sum)})
      for (const Boundary boundary : {Boundary::zero, Boundary::reflect, Boundary::blank})
        for (const std::string& name : tested_backends()) {
          Backend& tested = backend(name);
          const auto plane = load(tested, image);
          for (const ConvolutionQuote& quote : tested.quote({kernel, boundary}, shape)) {
            if (!quote.possible) continue;
            SCOPED_TRACE(fmt::format("{} {} {} {}", name, blank, to_string(quote.algorithm), to_string(boundary)));
            const auto plan = tested.plan_convolution({kernel, boundary}, shape, quote.algorithm);
            const auto at_once = tested.convolve(*plane, *plan);
            const Image expected = store(tested, *at_once);
            EXPECT_EQ(tested.rows_together(*at_once), 0);
            for (const std::int64_t rows : {std::int64_t{0}, std::int64_t{37}, std::int64_t{300}, shape.ny}) {
              const auto made = tested.convolve_later(*plane, *plan);
              EXPECT_EQ(made != nullptr, name != "cuda");
              if (!made) break;
              const std::int64_t together = tested.rows_together(*made);
              EXPECT_GT(together, 0);
              EXPECT_TRUE(
                  same_bits(by_bands(tested, *made, rows > 0 ? rows : together, rows == 300 ? 41 : 0), expected))
                  << rows;
              EXPECT_EQ(made->blank(), at_once->blank()) << rows;
            }
          }
        }
  }
}

TEST(RowsLater, the_largest_value_is_that_of_the_finite_pixels) {
  Image image = random_image({301, 1003}, 0.1, 3);
  for (const std::string& name : tested_backends()) {
    Backend& tested = backend(name);
    if (!tested.largest(*load(tested, image))) continue;
    for (const float value : {1e4f, -2e4f}) {
      image.at(300, 1002) = value;
      EXPECT_EQ(tested.largest(*load(tested, image)), std::abs(value));
    }
    image.at(0, 3) = 3e4f;
    EXPECT_EQ(tested.largest(*load(tested, image)), 3e4f);
    std::fill_n(image.data(), image.shape().count(), std::numeric_limits<float>::quiet_NaN());
    EXPECT_EQ(tested.largest(*load(tested, image)), 0.0f);
    image = random_image({301, 1003}, 0.1, 3);
  }
}

}  // namespace
}  // namespace reber::testing
