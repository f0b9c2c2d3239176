// SPDX-License-Identifier: BSD-3-Clause
// Weights of interpolation: what they keep of points, totals and noise.
#include "core/sky/model/resample_table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/seam/compute/resample.hpp"

namespace reber {
namespace {

constexpr int kTaps = ResampleTable::kTaps;

/// A Gaussian at `at`, FWHM^2 of its own.
double gaussian(const Covariance& c, double x, double y) {
  const double determinant = c.xx * c.yy - c.xy * c.xy;
  return std::exp(-4 * std::numbers::ln2 * (c.yy * x * x - 2 * c.xy * x * y + c.xx * y * y) / determinant);
}

struct Amplitudes {
  double mean = 0, scatter = 0, centre = 0;
};

/// Of points at sub-pixel places, moved by parts of a pixel.
Amplitudes amplitudes(const Covariance& beam, const ResampleTable& table) {
  constexpr Shape kShape{48, 48};
  double sum = 0, squares = 0, centre = 0;
  int count = 0;
  for (const double from : {-0.4, -0.1, 0.27, 0.5})
    for (const double dx : {0.05, 0.21, 0.5, 0.77})
      for (const double dy : {0.13, 0.48, 0.9}) {
        const double x0 = 24 + from, y0 = 24 - from * 0.7;
        const auto pixel = [&](std::int64_t y, std::int64_t x) {
          return static_cast<float>(gaussian(beam, static_cast<double>(x) - x0, static_cast<double>(y) - y0));
        };
        double above = 0, below = 0, moment = 0, total = 0;
        for (int y = 8; y < 40; ++y)
          for (int x = 8; x < 40; ++x) {
            const double truth = gaussian(beam, x + dx - x0, y + dy - y0);
            const auto value = static_cast<double>(
                rules::resampled(table.x.data(), table.y.data(), table.how, y + dy, x + dx, kShape, pixel));
            above += value * truth, below += truth * truth;
            moment += value * (x + dx - x0), total += value;
          }
        const double amplitude = above / below;
        sum += amplitude, squares += amplitude * amplitude, ++count;
        centre = std::max(centre, std::abs(moment / total));
      }
  const double mean = sum / count;
  return {mean, std::sqrt(std::max(squares / count - mean * mean, 0.0)), centre};
}

Covariance round_beam(double fwhm) { return {fwhm * fwhm, 0, fwhm * fwhm}; }

TEST(ResampleTable, AmplitudesOfPointsAreKept) {
  struct Case {
    double fwhm, bound;
  };
  for (const auto [fwhm, bound] : {Case{5, 1e-4}, Case{4, 2e-4}, Case{3, 3e-4}, Case{2.5, 2e-3}}) {
    const Covariance beam = round_beam(fwhm);
    const Amplitudes found = amplitudes(beam, resample_table(Interpolation::fitted, beam));
    EXPECT_NEAR(found.mean, 1, bound / 3) << fwhm;
    EXPECT_LE(found.scatter, bound / 3) << fwhm;
    EXPECT_LE(found.centre, 1e-3) << fwhm;
  }
  // Three pixels by bilinear weights: what the fitted ones are for.
  EXPECT_LE(amplitudes(round_beam(3), resample_table(Interpolation::bilinear, round_beam(3))).mean, 0.97);
}

TEST(ResampleTable, ThinBeamsAcrossTheAxesAsWell) {
  const Covariance beam = {20, 13, 20};  // 5.7 x 2.6 pixels at 45 degrees
  const Amplitudes found = amplitudes(beam, resample_table(Interpolation::fitted, beam));
  EXPECT_NEAR(found.mean, 1, 5e-4);
  EXPECT_LE(found.scatter, 5e-4);
}

TEST(ResampleTable, WeightsSumToOneAndMirror) {
  const ResampleTable table = resample_table(Interpolation::fitted, round_beam(2.7));
  for (int width = 0; width < ResampleTable::kWidths; ++width)
    for (int phase = 0; phase < ResampleTable::kPhases; ++phase) {
      const float* const entry = rules::tap_entry(table.x.data(), width, phase);
      double sum = 0, gain = 0;
      for (int k = 0; k < kTaps; ++k)
        sum += static_cast<double>(entry[k]), gain += static_cast<double>(entry[kTaps + k]);
      EXPECT_NEAR(sum, 1, 3e-7);
      EXPECT_NEAR(gain, 0, 3e-7);
      if (phase == 0) continue;
      const float* const other = rules::tap_entry(table.x.data(), width, ResampleTable::kPhases - phase);
      for (int k = 0; k < kTaps; ++k) EXPECT_EQ(entry[k], other[kTaps - 1 - k]);
    }
}

TEST(ResampleTable, NoiseGain) {
  const ResampleTable fitted = resample_table(Interpolation::fitted, round_beam(3));
  EXPECT_NEAR(noise_gain(fitted, round_beam(3)), 1, 1e-3);
  EXPECT_LT(noise_gain(fitted, {}), 0.95);
  // White noise between two pixels: the mean of (1 - p)^2 + p^2 is 2/3 along each axis.
  EXPECT_NEAR(noise_gain(resample_table(Interpolation::bilinear, {}), {}), 2.0 / 3, 1e-3);
  EXPECT_EQ(noise_gain(resample_table(Interpolation::nearest, {}), {}), 1);
}

TEST(ResampleRule, BlanksTakeNoMoreThanTheFourPixelsAboutThem) {
  constexpr Shape kShape{20, 20};
  const ResampleTable table = resample_table(Interpolation::fitted, round_beam(3));
  const auto pixel = [](std::int64_t y, std::int64_t x) {
    return y == 10 && x == 10 ? std::nanf("") : static_cast<float>(1);
  };
  const auto at = [&](double y, double x) {
    return rules::resampled(table.x.data(), table.y.data(), table.how, y, x, kShape, pixel);
  };
  for (int y = 0; y < 19; ++y)
    for (int x = 0; x < 19; ++x) {
      const bool touches = (y == 9 || y == 10) && (x == 9 || x == 10);
      EXPECT_EQ(std::isnan(at(y + 0.4, x + 0.7)), touches) << y << " " << x;
      if (!touches) {
        EXPECT_NEAR(at(y + 0.4, x + 0.7), 1, 1e-6);
      }
      // A whole number of pixels moves the blank pixel alone.
      EXPECT_EQ(std::isnan(at(y, x + 1e-9)), y == 10 && x == 10);
    }
  // The image reaches to the edges of its outermost pixels.
  EXPECT_NEAR(at(-0.2, 5.3), 1, 1e-6);
  EXPECT_NEAR(at(5, 19.5), 1, 1e-6);
  EXPECT_TRUE(std::isnan(at(-0.51, 5)));
  EXPECT_TRUE(std::isnan(at(5, 19.51)));
  EXPECT_TRUE(std::isnan(at(std::nan(""), 5)));
  EXPECT_TRUE(std::isnan(at(1e300, 5)));
  EXPECT_EQ(at(19, 19), 1);
}

}  // namespace
}  // namespace reber
