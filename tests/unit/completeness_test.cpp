// SPDX-License-Identifier: BSD-3-Clause
// Wilson's interval, against values worked out by hand.
#include "core/studies/completeness.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace reber {
namespace {

TEST(Completeness, WilsonIntervalHoldsAtTheEndsAndIsSymmetricAtAHalf) {
  const Fraction none{0, 10}, all{10, 10}, half{50, 100}, nothing{};
  EXPECT_NEAR(none.low(), 0, 1e-12);
  EXPECT_NEAR(none.high(), 1.0 / 11, 1e-12);
  EXPECT_NEAR(all.low(), 10.0 / 11, 1e-12);
  EXPECT_NEAR(all.high(), 1, 1e-12);
  EXPECT_NEAR(half.low() + half.high(), 1, 1e-12);
  EXPECT_NEAR(half.high() - half.low(), 2 * std::sqrt(0.0025 + 0.000025) / 1.01, 1e-12);
  EXPECT_TRUE(std::isnan(nothing.value()) && std::isnan(nothing.low()) && std::isnan(nothing.high()));
}

}  // namespace
}  // namespace reber
