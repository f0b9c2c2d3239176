// SPDX-License-Identifier: BSD-3-Clause
// Wide integers against those of the compiler, rounding to the last bit, and moments of sums in any unit.
#include "kernels/shared/exact_sums.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

using rules::Uint128;
using Wide = rules::WideInt<4>;

Wide wide(Uint128 value, int shift = 0) { return rules::shifted<4>(value, shift); }

TEST(exact_sums, wide_integers_calculate_as_the_compilers_do) {
  Random random(3);
  for (int k = 0; k < 1000; ++k) {
    const Uint128 a = random.next() >> (k % 60), b = random.next() >> (k % 50);
    Wide sum = wide(a);
    rules::add(sum, wide(b));
    EXPECT_EQ(sum.limb[0], static_cast<std::uint64_t>(a + b));
    EXPECT_EQ(sum.limb[1], static_cast<std::uint64_t>((a + b) >> 64));
    const Wide product = rules::times(wide(a), static_cast<std::uint64_t>(b)), square = rules::squared(wide(a));
    EXPECT_EQ(product.limb[0], static_cast<std::uint64_t>(a * b));
    EXPECT_EQ(product.limb[1], static_cast<std::uint64_t>((a * b) >> 64));
    EXPECT_EQ(square.limb[1], static_cast<std::uint64_t>((a * a) >> 64));
    Wide difference = wide(a);
    rules::add(difference, rules::negated(wide(b)));
    EXPECT_EQ(rules::is_negative(difference), a < b);
    const Wide moved = wide(a, 64 + k % 64);
    EXPECT_EQ(moved.limb[1], static_cast<std::uint64_t>(a << (k % 64)));
  }
}

TEST(exact_sums, are_rounded_once_to_the_nearest_double_and_ties_to_even) {
  const std::uint64_t even = std::uint64_t{1} << 53;
  EXPECT_EQ(rules::rounded(wide(even + 1), 0), 0x1p53);
  EXPECT_EQ(rules::rounded(wide(even + 3), 0), 0x1p53 + 4);
  EXPECT_EQ(rules::rounded(wide(even, 100), -100), 0x1p53);
  Wide more = wide(even + 1, 100);
  more.limb[0] = 1;  // a little more than the tie
  EXPECT_EQ(rules::rounded(more, -100), 0x1p53 + 2);
  EXPECT_EQ(rules::rounded(Wide{}, 5), 0.0);
  EXPECT_EQ(rules::rounded(wide(3, 70), 2), 3 * 0x1p72);
}

TEST(exact_sums, give_the_same_moments_in_any_unit) {
  const std::vector<std::int64_t> values{-7, 1000001, 1000002, 1000005, 3};
  std::int64_t sum = 0, squares = 0;
  for (const std::int64_t value : values) {
    sum += value;
    squares += value * value;
  }
  const auto n = static_cast<double>(values.size());
  const double mean = static_cast<double>(sum) / n;
  const double std = std::sqrt(static_cast<double>(squares * 5 - sum * sum) / (n * n));
  for (const int fine : {0, 7, 40}) {
    const auto got = rules::mean_and_std(values.size(), wide(static_cast<Uint128>(sum), fine),
                                         wide(static_cast<Uint128>(squares), 2 * fine), -fine);
    EXPECT_EQ(got.mean, mean);
    EXPECT_EQ(got.std, std);
    const auto mirrored = rules::mean_and_std(values.size(), rules::negated(wide(static_cast<Uint128>(sum), fine)),
                                              wide(static_cast<Uint128>(squares), 2 * fine), -fine);
    EXPECT_EQ(mirrored.mean, -mean);
    EXPECT_EQ(mirrored.std, std);
  }
  EXPECT_EQ(rules::mean_and_std(3, wide(6), wide(12), 0).std, 0.0);  // three times the same value
}

}  // namespace
}  // namespace reber::testing
