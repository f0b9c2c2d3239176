// SPDX-License-Identifier: BSD-3-Clause
// The noise of one beam as that of another.
#include "core/seam/compute/beam_classes.hpp"

#include <gtest/gtest.h>

namespace reber {
namespace {

TEST(BeamClasses, stretch_the_noise_to_their_beam) {
  const Covariance middle{40, 3, 36}, wide{64, -5, 70};
  const NoiseCorrelation of_middle = NoiseCorrelation::of_shape(middle), of_wide = NoiseCorrelation::of_shape(wide);
  const NoiseCorrelation made = stretched(of_middle, middle, wide);
  for (std::int64_t dy = 0; dy < 15; ++dy)
    for (std::int64_t dx = -15; dx < 15; ++dx)
      EXPECT_NEAR(made.at(dy, dx), of_wide.at(dy, dx), 0.03) << dy << ' ' << dx;
  BeamClasses classes(of_middle, of_middle, middle, BeamClasses::Errors::of_beam);
  classes.add(middle);
  classes.add(wide);
  classes.add({40.3, 3.1, 36.2});
  EXPECT_EQ(classes.count(), 2U);
  EXPECT_EQ(classes.of(2), classes.of(0));
  const BeamClasses one(of_middle, of_wide, std::nullopt, BeamClasses::Errors::of_beam);
  EXPECT_EQ(one.count(), 1U);
  EXPECT_EQ(one.of(7), 0U);
}

}  // namespace
}  // namespace reber
