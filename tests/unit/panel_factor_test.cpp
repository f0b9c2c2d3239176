// SPDX-License-Identifier: BSD-3-Clause
// The factor by strips has the bits of the shared code for any number of threads; what is not positive and what is
// cancelled ends it for all of them.
#include "kernels/cpu/panel_factor.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/base/error.hpp"

namespace reber::cpu {
namespace {

constexpr int kSize = 1000;  // large enough to be shared

/// Correlations of numbers on a line, those within `reach` of each other.
struct Band {
  int reach;
  double diagonal;
  [[nodiscard]] double at(int i, int j) const {
    const int apart = std::abs(i - j);
    return apart > reach
               ? 0
               : std::exp(-0.02 * apart) + 0.1 * std::sin(0.7 * (i + j)) * (apart != 0) + diagonal * (apart == 0);
  }
};

void fill(PanelFactor& factor, const Band& band) {
  std::vector<int> begins;
  for (int c = 0; c < kSize; c += kPanel) begins.push_back(std::max(c - band.reach, 0) / kPanel * kPanel);
  factor.take_shape(begins);
  for (int c = 0; c < kSize; ++c)
    for (int r = factor.begin(c); r < c / kPanel * kPanel + kPanel; ++r)
      factor.element(r, c) = r <= c ? band.at(r, c) : 0;
}

struct PlainThread : OneThread {
  void sync() const {}
};

class FactorByStrips : public testing::TestWithParam<int> {};

TEST_P(FactorByStrips, has_the_bits_of_the_shared_code) {
  const Band band{GetParam(), 60};
  std::vector<double> triangle(static_cast<std::size_t>(dense::triangle_size(kSize)));
  const dense::Triangle plain{triangle.data(), kSize};
  for (int i = 0; i < kSize; ++i)
    for (int j = i; j < kSize; ++j) plain.row(i)[j] = band.at(i, j);
  ASSERT_TRUE(dense::factorise(PlainThread(), plain));
  for (const int threads : {1, 2, 7}) {
    ThreadPool pool(threads);
    PanelFactor factor;
    fill(factor, band);
    bool positive = false;
    // Those with the other indices come to help.
    pool.for_each(threads, [&](std::int64_t i) {
      if (i == 0) positive = factorise(factor, pool, [] {});
    });
    ASSERT_TRUE(positive);
    int wrong = 0;
    for (int c = 0; c < kSize; ++c)
      for (int r = factor.begin(c); r <= c; ++r) wrong += factor.element(r, c) == plain.row(r)[c] ? 0 : 1;
    EXPECT_EQ(wrong, 0) << threads << " threads";
  }
}

INSTANTIATE_TEST_SUITE_P(reaches, FactorByStrips, testing::Values(3, 40, 250, kSize));

TEST(PanelFactor, that_is_not_positive_ends_for_all_threads) {
  ThreadPool pool(4);
  PanelFactor factor;
  fill(factor, {kSize, 60});
  factor.element(700, 700) = -1;
  pool.for_each(4, [&](std::int64_t i) {
    if (i == 0) {
      EXPECT_FALSE(factorise(factor, pool, [] {}));
    }
  });
}

TEST(PanelFactor, that_is_cancelled_ends_for_all_threads) {
  ThreadPool pool(4);
  PanelFactor factor;
  fill(factor, {kSize, 60});
  std::atomic<int> asked = 0;
  const auto cancel = [&] {
    if (++asked == 40) throw Cancelled();
  };
  EXPECT_THROW(pool.for_each(4,
                             [&](std::int64_t i) {
                               if (i == 0) (void)factorise(factor, pool, cancel);
                             }),
               Cancelled);
  EXPECT_LT(asked.load(), 60);
}

}  // namespace
}  // namespace reber::cpu
