// SPDX-License-Identifier: BSD-3-Clause
// Two tiles convolved as one, for each side, against sums in double precision.
#include "kernels/cpu/convolve/pair_transform.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "kernels/cpu/convolve/convolution.hpp"
#include "tests/support/testing.hpp"

namespace reber::cpu {
namespace {

/// A pair of tiles with noise and a kernel that fills a third of a tile.
struct Case {
  explicit Case(std::int64_t of)
      : side(of), taps(of / 3), columns((of - taps + 1) / 8 * 8), stride(columns + of), weights(taps * taps) {
    testing::Random random(7);
    std::vector<float> placed(static_cast<std::size_t>(side * side), 0.0f);
    for (std::int64_t i = 0; i < taps; ++i)
      for (std::int64_t j = 0; j < taps; ++j) {
        const double weight = random.normal();
        weights[static_cast<std::size_t>(i * taps + j)] = weight;
        placed[static_cast<std::size_t>((i + side - taps + 1) % side * side + (j + side - taps + 1) % side)] =
            static_cast<float>(weight / static_cast<double>(side * side));
      }
    for (std::int64_t i = 0; i < side * stride; ++i) pixels.push_back(static_cast<float>(random.normal()));
    float* const spectrum = transfer.ask(pair_transfer(side));
    transform_kernel(side, placed.data(), spectrum, work.ask(pair_work(side)));
    made = pixels;
    convolve_pair(side, {made.data(), made.data() + columns, stride}, {side - taps + 1, columns}, spectrum,
                  work.ask(pair_work(side)));
  }
  [[nodiscard]] double expected(std::int64_t y, std::int64_t x) const {
    double sum = 0;
    for (std::int64_t i = 0; i < taps; ++i)
      for (std::int64_t j = 0; j < taps; ++j)
        sum += weights[static_cast<std::size_t>(i * taps + j)] *
               static_cast<double>(pixels[static_cast<std::size_t>((y + taps - 1 - i) * stride + x + taps - 1 - j)]);
    return sum;
  }

  std::int64_t side, taps, columns, stride;
  std::vector<double> weights;
  std::vector<float> pixels, made;
  Buffer transfer, work;
};

class PairTransform : public ::testing::TestWithParam<std::int64_t> {};

TEST_P(PairTransform, both_tiles_are_convolved) {
  const Case one(GetParam());
  const std::int64_t rows = one.side - one.taps + 1, last = 2 * one.columns - 1;
  for (const auto& [y, x] : {std::array<std::int64_t, 2>{0, 0},
                             {rows - 1, last},
                             {rows / 2, one.columns - 1},
                             {rows / 3, one.columns},
                             {rows - 1, 5},
                             {1, last - 3}}) {
    const double got = static_cast<double>(one.made[static_cast<std::size_t>(y * one.stride + x)]);
    // Sums of taps^2 products of unit variance have a scatter of taps.
    EXPECT_NEAR(got, one.expected(y, x), 2e-6 * static_cast<double>(one.taps)) << y << " " << x;
  }
}

// One of 4096 has the steps of 1024 and one more, and 0.4 GB.
INSTANTIATE_TEST_SUITE_P(sides, PairTransform, ::testing::Values(256, 512, 1024, 2048));

}  // namespace
}  // namespace reber::cpu
