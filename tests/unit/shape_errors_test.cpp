// SPDX-License-Identifier: BSD-3-Clause
// Errors of axes, angles and deconvolved sizes against the scatter of drawn shapes.
#include "core/measure/sources/shape_errors.hpp"

#include <cmath>
#include <random>
#include <vector>

#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

constexpr double kDegrees = 57.29577951308232;

double deviation(const std::vector<double>& values) {
  double mean = 0, square = 0;
  for (const double v : values) mean += v / static_cast<double>(values.size());
  for (const double v : values) square += (v - mean) * (v - mean) / static_cast<double>(values.size());
  return std::sqrt(square);
}

/// Shapes around `shape` with the errors that shape_errors gives, drawn in the frame of its axes.
std::vector<Covariance> drawn(double major, double minor, double pa_deg, double relative) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  std::vector<Covariance> shapes;
  const double s = std::sin(pa_deg / kDegrees), c = std::cos(pa_deg / kDegrees);
  for (int k = 0; k < 20000; ++k) {
    const double high = major * major * (1 + 2 * relative * normal(random));
    const double low = minor * minor * (1 + 2 * relative * normal(random));
    const double cross = std::sqrt(2.0) * relative * major * minor * normal(random);
    // Major axis along (s, c), minor along (c, -s).
    shapes.push_back({s * s * high + c * c * low + 2 * s * c * cross, s * c * (high - low) + (c * c - s * s) * cross,
                      c * c * high + s * s * low - 2 * s * c * cross});
  }
  return shapes;
}

TEST(ShapeErrors, AxesAndAngleScatterAsStated) {
  const Covariance shape = sky_covariance(9, 6, 30);
  const EllipseErrors stated = ellipse_errors(ellipse_of(shape), shape_errors(shape, 0.02));
  std::vector<double> major, minor, pa;
  for (const Covariance& one : drawn(9, 6, 30, 0.02)) {
    const Ellipse ellipse = ellipse_of(one);
    major.push_back(ellipse.major), minor.push_back(ellipse.minor), pa.push_back(ellipse.pa_deg);
  }
  EXPECT_NEAR(stated.major, 0.18, 1e-9);
  EXPECT_NEAR(stated.minor, 0.12, 1e-9);
  EXPECT_NEAR(deviation(major) / stated.major, 1, 0.02);
  EXPECT_NEAR(deviation(minor) / stated.minor, 1, 0.02);
  EXPECT_NEAR(deviation(pa) / stated.pa_deg, 1, 0.03);
}

TEST(ShapeErrors, TheAngleOfARoundSourceIsNotKnown) {
  // Axes that differ by 0, 1, 2, 3, 5 and 20 times the error of their difference.
  for (const double apart : {0.0, 1.0, 2.0, 3.0, 5.0, 20.0}) {
    const double relative = 0.01, major = 6 * std::sqrt(1 + 2 * std::sqrt(2.0) * apart * relative);
    double squares = 0;
    for (const Covariance& one : drawn(major, 6, 30, relative)) {
      const Ellipse ellipse = ellipse_of(one);
      const double off = std::remainder(ellipse.pa_deg - 30, 180);
      squares += std::pow(off / ellipse_errors(ellipse, shape_errors(one, relative)).pa_deg, 2) / 20000;
    }
    EXPECT_LT(std::sqrt(squares), 1.4) << apart;
    EXPECT_GT(std::sqrt(squares), 0.65) << apart;
  }
  const Covariance round{36, 0, 36};
  EXPECT_NEAR(ellipse_errors(ellipse_of(round), shape_errors(round, 0.01)).pa_deg, 90 / std::sqrt(3.0), 1e-9);
}

TEST(ShapeErrors, DeconvolvedSizesScatterAsStated) {
  const Covariance shape = sky_covariance(9, 6, 30), beam = sky_covariance(5, 4, 80);
  const IntrinsicShape stated = intrinsic_shape(shape, beam, shape_errors(shape, 0.02));
  std::vector<double> major, minor, pa;
  for (const Covariance& one : drawn(9, 6, 30, 0.02)) {
    const IntrinsicShape intrinsic = intrinsic_shape(one, beam, {});
    major.push_back(intrinsic.axes.major), minor.push_back(intrinsic.axes.minor), pa.push_back(intrinsic.axes.pa_deg);
  }
  EXPECT_NEAR(deviation(major) / stated.errors.major, 1, 0.03);
  EXPECT_NEAR(deviation(minor) / stated.errors.minor, 1, 0.03);
  EXPECT_NEAR(deviation(pa) / stated.errors.pa_deg, 1, 0.03);
  EXPECT_GT(stated.errors.major, ellipse_errors(ellipse_of(shape), shape_errors(shape, 0.02)).major);
}

TEST(ShapeErrors, APointHasAnUpperLimitThatHolds) {
  const Covariance beam = sky_covariance(5, 5, 0);
  const IntrinsicShape point = intrinsic_shape(sky_covariance(4.99, 4.98, 0), beam, shape_errors(beam, 0.05));
  EXPECT_EQ(point.axes.major, 0);
  EXPECT_NEAR(point.most_major, std::sqrt(2 * 2 * 0.05 * 25), 0.01);
  EXPECT_NEAR(point.errors.major, std::sqrt(2 * 0.05 * 25), 0.01);
  // True size 2: two of a hundred measurements may give a limit below it.
  int below = 0;
  const double size = std::sqrt(25.0 + 4);
  for (const Covariance& one : drawn(size, size, 0, 0.05))
    below += intrinsic_shape(one, beam, shape_errors(one, 0.05)).most_major < 2 ? 1 : 0;
  EXPECT_LT(below, 0.03 * 20000);
}

TEST(ShapeErrors, LikelyAxesOfSizesOfEveryOrderAreRightInTheMean) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> logarithm(-kLikelySpan, 2);
  double off = 0, square = 0, cut = 0;
  constexpr int kCount = 200000;
  for (int k = 0; k < kCount; ++k) {
    const double axis = std::exp(logarithm(random)), measured = axis * axis + normal(random);
    const double estimate = likely_axis(measured, 1);
    off += (estimate - axis) / kCount;
    square += (estimate - axis) * (estimate - axis) / kCount;
    cut += std::pow(std::sqrt(std::max(0.0, measured)) - axis, 2) / kCount;
  }
  EXPECT_NEAR(off, 0, 0.003);
  EXPECT_LT(square, 0.65 * cut) << "nearer than C - B cut at 0";
}

TEST(ShapeErrors, LikelyAxesGrowWithTheMeasurementAndEndAtItsRoot) {
  double before = 0;
  for (const double measured : {-1e7, -20.0, -1.0, 0.0, 0.5, 2.0, 5.9, 6.1, 30.0, 1e4}) {
    const double axis = likely_axis(measured, 1);
    EXPECT_GT(axis, before) << measured;
    EXPECT_NEAR(axis, 3 * likely_axis(measured / 9, 1.0 / 9), 1e-12 * axis) << "of every scale the same";
    before = axis;
  }
  EXPECT_NEAR(before, 100, 1e-4);
  EXPECT_EQ(likely_axis(4, 0), 2);
  EXPECT_EQ(likely_axis(4, std::nan("")), 2);
  EXPECT_EQ(likely_axis(-4, 0), 0);
}

/// C - B cut at 0 is off by more than its error says.
TEST(ShapeErrors, APointHasLikelyAxesWithinTheirErrors) {
  const Covariance beam = sky_covariance(5, 5, 0);
  double cut = 0, likely = 0;
  for (const Covariance& one : drawn(5, 5, 0, 0.05)) {
    const IntrinsicShape its = intrinsic_shape(one, beam, shape_errors(one, 0.05));
    cut += std::pow(its.axes.major / its.errors.major, 2) / 20000;
    likely += std::pow(its.likely[0] / its.e_likely[0], 2) / 20000;
    EXPECT_GE(its.likely[0], its.likely[1]);
    EXPECT_GT(its.likely[1], 0);
  }
  EXPECT_GT(std::sqrt(cut), 2);
  EXPECT_LT(std::sqrt(likely), 1.1);
}

TEST(ShapeErrors, TheLogarithmOfTheAreaScattersAsStated) {
  const Covariance shape = sky_covariance(9, 6, 30);
  std::vector<double> areas;
  for (const Covariance& one : drawn(9, 6, 30, 0.02))
    areas.push_back(0.5 * std::log(one.xx * one.yy - one.xy * one.xy));
  EXPECT_NEAR(deviation(areas) / log_area_error(shape, shape_errors(shape, 0.02)), 1, 0.02);
}

TEST(ShapeErrors, ErrorsTurnWithTheGrid) {
  const Covariance pixels = sky_covariance(9, 6, 30);
  const Matrix2 m{-0.5, 0.1, 0.2, 0.4};
  const ShapeErrors before = shape_errors(pixels, 0.02), after = to_sky(before, m);
  // sigma of w^T M C M^T w is that of (M^T w)^T C (M^T w)
  const double we = 0.6, wn = 0.8, wx = we * m.a + wn * m.c, wy = we * m.b + wn * m.d;
  EXPECT_NEAR(quadratic_error(after, we, wn, we, wn), quadratic_error(before, wx, wy, wx, wy), 1e-12);
}

}  // namespace
}  // namespace reber::testing
