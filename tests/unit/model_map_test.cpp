// SPDX-License-Identifier: BSD-3-Clause
// The model map against the sum of Gaussians written out pixel by pixel.
#include "core/measure/sources/model_map.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace reber {
namespace {

Source gaussian(double peak, double x, double y, const Covariance& fwhm2) {
  Source source;
  source.model = {peak, x, y, fwhm2};
  return source;
}

double value(const Source& source, double x, double y) {
  const Covariance& c = source.model.fwhm2;
  const double det = c.xx * c.yy - c.xy * c.xy, dx = x - source.model.x, dy = y - source.model.y;
  return source.model.peak *
         std::exp(-4 * std::numbers::ln2 * (c.yy * dx * dx - 2 * c.xy * dx * dy + c.xx * dy * dy) / det);
}

TEST(ModelMap, IsTheSumOfTheGaussiansWhateverTheBands) {
  const Shape shape{47, 61};
  std::vector<Source> sources{gaussian(1, 20.3, 10.7, {25, 8, 16}), gaussian(-0.5, 0.2, 40, {9, 0, 100}),
                              gaussian(3, 60.4, 46.9, {300, -120, 90}), gaussian(std::nan(""), 5, 5, {9, 0, 9}),
                              gaussian(1, 5, 5, {0, 0, 0})};
  const ModelMap model(sources, shape);
  EXPECT_EQ(model.drawn(), 3);
  std::vector<float> whole(static_cast<std::size_t>(shape.count())), banded(whole.size());
  model.rows(0, shape.ny, whole.data());
  for (std::int64_t y = 0; y < shape.ny; y += 5)
    model.rows(y, std::min<std::int64_t>(5, shape.ny - y), banded.data() + y * shape.nx);
  EXPECT_EQ(whole, banded);
  double flux = 0, expected_flux = 0;
  for (std::int64_t y = 0; y < shape.ny; ++y) {
    for (std::int64_t x = 0; x < shape.nx; ++x) {
      double expected = 0;
      for (std::size_t i = 0; i < 3; ++i) expected += value(sources[i], static_cast<double>(x), static_cast<double>(y));
      const float got = whole[static_cast<std::size_t>(y * shape.nx + x)];
      ASSERT_NEAR(got, expected, 3 * 3.0 / (1 << 24)) << x << ' ' << y;
      flux += got;
      expected_flux += expected;
    }
  }
  EXPECT_NEAR(flux, expected_flux, 1e-5 * expected_flux);
}

}  // namespace
}  // namespace reber
