// SPDX-License-Identifier: BSD-3-Clause
// Gaussian fits: derivatives, exact recovery, honest errors under correlated noise, fallbacks, any number of threads.
#include "core/seam/compute/gaussian_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/measure/sources/fit_rest.hpp"
#include "core/measure/sources/fit_sources.hpp"
#include "core/studies/random.hpp"
#include "kernels/backends.hpp"
#include "kernels/shared/gaussian_model.hpp"
#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

/// Squared FWHMs of axes `major`, `minor` whose major axis is `angle` degrees from +y towards +x.
Covariance tilted(double major, double minor, double angle) { return sky_covariance(major, minor, angle); }

const NoiseCorrelation& beam_noise() {
  static const NoiseCorrelation noise = NoiseCorrelation::of_shape(tilted(5, 5, 0));
  return noise;
}

double model(const std::vector<GaussianComponent>& components, double x, double y) {
  std::array<double, 6> unused{};
  double sum = 0;
  for (const GaussianComponent& one : components) sum += one.evaluate(x, y, unused);
  return sum;
}

/// Pixels where the model stands above `level`, rms 1.
FitPixels pixels_above(const std::vector<GaussianComponent>& components, double level, std::int32_t side) {
  FitPixels pixels;
  for (std::int32_t y = 0; y < side; ++y)
    for (std::int32_t x = 0; x < side; ++x) {
      const double value = model(components, x, y);
      if (!(value > level)) continue;
      pixels.y.push_back(y), pixels.x.push_back(x);
      pixels.value.push_back(value), pixels.rms.push_back(1);
    }
  return pixels;
}

const FitBounds kBounds{3, 3, 30, true};

/// Weights for noise like the beam's, or ordinary ones; errors for `errors`.
std::optional<std::vector<FittedGaussian>> fit_gaussians(const FitPixels& pixels,
                                                         const std::vector<GaussianComponent>& start, bool correlated,
                                                         const NoiseCorrelation& errors = beam_noise()) {
  FitBatch batch;
  batch.weights = beam_noise();
  batch.errors = errors;
  batch.add(pixels, start, std::vector<FitBounds>(start.size(), kBounds), correlated);
  const FitResults results = backend("cpu").fits().fit(batch, {});
  if (results.problems[0].status != FitStatus::settled) return std::nullopt;
  return results.components;
}

void expect_recovered(const std::vector<GaussianComponent>& truth, const std::vector<GaussianComponent>& start,
                      bool correlated) {
  const auto fitted = fit_gaussians(pixels_above(truth, 3, 48), start, correlated);
  ASSERT_TRUE(fitted);
  for (std::size_t k = 0; k < truth.size(); ++k) {
    const GaussianComponent& got = (*fitted)[k].component;
    EXPECT_NEAR(got.peak, truth[k].peak, 1e-4);
    EXPECT_NEAR(got.x, truth[k].x, 1e-5);
    EXPECT_NEAR(got.y, truth[k].y, 1e-5);
    EXPECT_NEAR(got.fwhm2.xx, truth[k].fwhm2.xx, 1e-3);
    EXPECT_NEAR(got.fwhm2.xy, truth[k].fwhm2.xy, 1e-3);
    EXPECT_NEAR(got.fwhm2.yy, truth[k].fwhm2.yy, 1e-3);
    EXPECT_FALSE((*fitted)[k].at_bound);
  }
}

TEST(GaussianFit, PowersOfTwoAreRightToTwoUlp) {
  for (int i = 0; i <= 200000; ++i) {
    const double t =
        -1000.0 * uniform_pair(11, RandomStream::noise, static_cast<std::uint64_t>(i)).first / (i % 7 == 0 ? 1 : 100);
    const double right = std::exp2(t);
    ASSERT_LE(std::abs(model::exp2_below(t) - right), 2 * std::numeric_limits<double>::epsilon() * right) << t;
  }
  EXPECT_EQ(model::exp2_below(0), 1);
  EXPECT_EQ(model::exp2_below(-3), 0.125);
  EXPECT_EQ(model::exp2_below(-1000.5), 0);
  EXPECT_EQ(model::exp2_below(-std::numeric_limits<double>::infinity()), 0);
  EXPECT_TRUE(std::isnan(model::exp2_below(std::numeric_limits<double>::quiet_NaN())));
}

TEST(GaussianFit, DerivativesAreThoseOfTheModel) {
  const GaussianComponent at{7, 10.3, 11.8, tilted(8, 5, 33)};
  std::array<double, 6> derivatives{}, unused{};
  for (const auto& [x, y] : {std::pair{9.0, 14.0}, {10.0, 12.0}, {15.0, 8.0}}) {
    at.evaluate(x, y, derivatives);
    for (std::size_t k = 0; k < 6; ++k) {
      const auto shifted = [&](double by) {
        GaussianComponent g = at;
        double* const parameters[] = {&g.peak, &g.x, &g.y, &g.fwhm2.xx, &g.fwhm2.xy, &g.fwhm2.yy};
        *parameters[k] += by;
        return g.evaluate(x, y, unused);
      };
      const double numeric = (shifted(1e-5) - shifted(-1e-5)) / 2e-5;
      EXPECT_NEAR(derivatives[k], numeric, 1e-8 * (1 + std::abs(numeric))) << "parameter " << k;
    }
  }
}

TEST(GaussianFit, RecoversOneTiltedEllipseWithoutNoise) {
  for (const double angle : {0.0, 30.0, 77.0, 135.0}) {
    const GaussianComponent truth{100, 22.37, 25.81, tilted(9, 5.5, angle)};
    const GaussianComponent start{90, 22, 26, tilted(7, 7, 0)};
    expect_recovered({truth}, {start}, true);
    expect_recovered({truth}, {start}, false);
  }
}

TEST(GaussianFit, RecoversTwoBlendedComponentsWithoutNoise) {
  const std::vector<GaussianComponent> truth{{100, 20.2, 22.4, tilted(7, 5, 60)}, {60, 26.6, 24.1, tilted(5.5, 5, 10)}};
  const std::vector<GaussianComponent> start{{105, 20, 22, tilted(5, 5, 0)}, {70, 27, 24, tilted(5, 5, 0)}};
  expect_recovered(truth, start, true);
}

TEST(GaussianFit, ErrorsAreThoseOfCorrelatedNoise) {
  // White noise smoothed by the beam, as in Condon (1997): its autocorrelation is sqrt 2 wider than the beam.
  const double sigma = 5 / std::sqrt(8 * std::numbers::ln2);
  const NoiseCorrelation true_noise =
      NoiseCorrelation::of_shape(tilted(5 * std::numbers::sqrt2, 5 * std::numbers::sqrt2, 0));
  const GaussianComponent truth{50, 24.4, 23.7, tilted(5, 5, 0)};
  constexpr std::int32_t kSide = 48, kRadius = 8;
  std::vector<double> pulls[3];
  const FitPixels clean = pixels_above({truth}, 3, kSide);
  double unit = 0;  // sum of the squared weights
  for (std::int32_t v = -kRadius; v <= kRadius; ++v)
    for (std::int32_t u = -kRadius; u <= kRadius; ++u) unit += std::exp(-(u * u + v * v) / (sigma * sigma));
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::vector<double> white(static_cast<std::size_t>(kSide * kSide));
    for (std::size_t i = 0; i < white.size(); ++i) white[i] = normal_pair(seed, RandomStream::noise, i).first;
    FitPixels pixels = clean;
    for (std::size_t i = 0; i < pixels.value.size(); ++i)
      for (std::int32_t v = -kRadius; v <= kRadius; ++v)
        for (std::int32_t u = -kRadius; u <= kRadius; ++u)
          pixels.value[i] += white[static_cast<std::size_t>((pixels.y[i] + v) * kSide + pixels.x[i] + u)] *
                             std::exp(-(u * u + v * v) / (2 * sigma * sigma)) / std::sqrt(unit);
    const auto fitted = fit_gaussians(pixels, {truth}, true, true_noise);
    ASSERT_TRUE(fitted);
    const auto& [got, covariance, bound] = (*fitted)[0];
    pulls[0].push_back((got.peak - truth.peak) / std::sqrt(covariance[0][0]));
    pulls[1].push_back((got.x - truth.x) / std::sqrt(covariance[1][1]));
    pulls[2].push_back((got.fwhm2.xx - truth.fwhm2.xx) / std::sqrt(covariance[3][3]));
    EXPECT_LT(std::sqrt(covariance[1][1]), 5 / (2.3548 * 50)) << "worse than Condon's error of a point source";
  }
  for (const auto& pull : pulls) {
    double square = 0;
    for (const double p : pull) square += p * p;
    EXPECT_NEAR(std::sqrt(square / static_cast<double>(pull.size())), 1.0, 0.15);  // three errors of an rms of 200
  }
}

TEST(GaussianFit, RefusesWhatHoldsNoAnswer) {
  const GaussianComponent truth{50, 10, 10, tilted(5, 5, 0)};
  FitPixels few = pixels_above({truth}, 45, 20);
  ASSERT_LE(few.value.size(), 6u);
  EXPECT_FALSE(fit_gaussians(few, {truth}, true));
  FitPixels blank = pixels_above({truth}, 3, 20);
  blank.value[5] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(fit_gaussians(blank, {truth}, true));
}

TEST(GaussianFit, APlaceIsKnownToBetterThanTheGaussianIsWide) {
  FittedGaussian fit;
  fit.component.fwhm2 = {9, 0, 4};
  fit.covariance[1][1] = 6, fit.covariance[2][2] = 6.9;
  EXPECT_TRUE(has_place(fit));
  fit.covariance[2][2] = 7.1;
  EXPECT_FALSE(has_place(fit));
  fit.covariance[2][2] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(has_place(fit));
}

TEST(NoiseCorrelation, IsMeasuredOutsideSources) {
  constexpr std::int64_t kSide = 300;
  const auto white = [](std::size_t i) { return normal_pair(4, RandomStream::noise, i).first; };
  std::vector<float> image(kSide * kSide);
  for (std::size_t i = 0; i + 1 < image.size(); ++i)  // neighbours along x share half of their variance
    image[i] = static_cast<float>(white(i) + white(i + 1));
  for (std::int64_t x = 100; x < 120; ++x) image[static_cast<std::size_t>(150 * kSide + x)] = 1e6f;
  const LabelRuns labels{{kSide, kSide}, {{150, 100, 120, 1}}};
  const auto patch = [&](const Rect& where, float* out) {
    const auto from = static_cast<std::ptrdiff_t>(where.y0 * kSide),
               to = from + static_cast<std::ptrdiff_t>(where.ny * kSide);
    std::vector<float> snr(image.begin() + from, image.begin() + to);
    blank_sources(snr, {where.y0, 0, where.ny, kSide}, labels, 1e9f, 2);
    for (std::int64_t y = 0; y < where.ny; ++y)
      std::copy_n(snr.begin() + y * kSide + where.x0, where.nx, out + y * where.nx);
  };
  ThreadPool one(1), three(3);
  const MeasuredCorrelation got = measure_noise_correlation({0, 0, kSide, kSide}, patch, 6, one);
  EXPECT_GT(got.pixels, 60000);
  EXPECT_EQ(got.correlation.at(0, 0), 1);
  EXPECT_NEAR(got.correlation.at(0, 1), 0.5, 0.02);
  EXPECT_EQ(got.correlation.at(0, -1), got.correlation.at(0, 1));
  EXPECT_NEAR(got.correlation.at(3, -2), 0, 0.02);
  EXPECT_EQ(got.correlation.at(7, 0), 0);
  const MeasuredCorrelation again = measure_noise_correlation({0, 0, kSide, kSide}, patch, 6, three);
  for (std::int64_t dy = 0; dy <= 6; ++dy)
    for (std::int64_t dx = -6; dx <= 6; ++dx) EXPECT_EQ(got.correlation.at(dy, dx), again.correlation.at(dy, dx));
}

const KnownPixels kWhole({64, 64});

/// Islands of one Gaussian each, as a backend hands them over.
struct Field {
  std::vector<SourceRow> sums;
  IslandPixels pixels;

  void add(const GaussianComponent& g, double level) {
    const FitPixels own = pixels_above({g}, level, 64);
    IslandSums s;
    s.npix = static_cast<std::int64_t>(own.value.size());
    s.first_y = own.y[0], s.first_x = own.x[0], s.peak_rms = 1;
    s.y0 = own.y.front(), s.y1 = own.y.back() + 1;
    s.x0 = std::ranges::min(own.x), s.x1 = std::ranges::max(own.x) + 1;
    for (std::size_t i = 0; i < own.value.size(); ++i) {
      const double d = own.value[i], dx = own.x[i] - s.first_x, dy = own.y[i] - s.first_y;
      s.s += d, s.sx += d * dx, s.sy += d * dy, s.sxx += d * dx * dx, s.sxy += d * dx * dy, s.syy += d * dy * dy;
      if (static_cast<float>(d) > s.peak) s.peak = static_cast<float>(d), s.peak_x = own.x[i], s.peak_y = own.y[i];
      pixels.y.push_back(own.y[i]), pixels.x.push_back(own.x[i]);
      pixels.pixel.push_back(static_cast<float>(d)), pixels.mean.push_back(0), pixels.rms.push_back(1);
    }
    pixels.label.push_back(static_cast<std::int64_t>(sums.size()) + 1);
    pixels.first.push_back(static_cast<std::int64_t>(pixels.x.size()));
    sums.push_back({s, pixels.label.back(), false});
  }
};

ImageHeader sky_header() {
  ImageHeader header;
  header.shape = {64, 64};
  std::string text;
  for (const char* card :
       {"NAXIS   =                    2", "NAXIS1  =                   64", "NAXIS2  =                   64",
        "CTYPE1  = 'RA---SIN'", "CTYPE2  = 'DEC--SIN'", "CRVAL1  =                 60.0",
        "CRVAL2  =                -30.0", "CRPIX1  =                 32.5", "CRPIX2  =                 32.5",
        "CDELT1  =               -0.001", "CDELT2  =                0.001", "END"})
    text += fmt::format("{:<80}", card);
  header.wcs = Wcs::parse(text, 0, 1, {}, 2, 64, 64);
  header.unit = Unit::parse("Jy/beam");
  return header;
}

TEST(FitSources, CarriesAFitToTheSky) {
  Field field;
  field.add({80, 30.3, 31.6, tilted(7, 5, 20)}, 3);
  const Beam beam{0.005, 0.005, 0};
  const SourceFitter fitter({FitRequest::Method::gaussian, 1}, sky_header(), beam);
  const auto rows = fitter.fit(backend("cpu"), field.sums, field.pixels, {}, kWhole);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].fit.flag, 0);
  const Source full = make_sources(rows, {}, sky_header(), beam)[0];
  EXPECT_NEAR(full.x, 30.3, 1e-4);
  EXPECT_NEAR(full.y, 31.6, 1e-4);
  EXPECT_NEAR(full.peak, 80, 1e-3);
  EXPECT_NEAR(full.total, 80 * 7 * 5 / 25.0, 0.01);
  EXPECT_NEAR(full.major_deg, 0.007, 1e-6);
  EXPECT_NEAR(full.minor_deg, 0.005, 1e-6);
  // Pixels count x to the west, and `tilted` turns towards +x.
  EXPECT_NEAR(full.pa_deg, 160, 0.05);
  EXPECT_NEAR(full.dc_major_deg, std::sqrt(49 - 25.0) * 1e-3, 1e-5);
  EXPECT_NEAR(full.e_ra, full.e_x * 1e-3, 1e-6 * full.e_x);
  EXPECT_GT(full.e_ra, 0);
  EXPECT_GT(full.e_major_deg, 0);
  EXPECT_GT(full.e_total, full.e_peak);
}

TEST(FitSources, SmallIslandsFallBackWithFlags) {
  const Beam beam{0.0025, 0.0025, 0};
  const SourceFitter fitter({FitRequest::Method::gaussian, 1}, sky_header(), beam);
  const auto fitted = [&](double level, std::int64_t most_pixels) {
    Field field;
    field.add({50, 20.2, 20.4, tilted(2.5, 2.5, 0)}, level);
    EXPECT_LE(field.sums[0].sums.npix, most_pixels);
    DetectOptions options;
    options.flood = level;
    const auto rows = fitter.fit(backend("cpu"), field.sums, field.pixels, options, kWhole);
    return make_sources(rows, options, sky_header(), beam)[0];
  };
  const Source beamed = fitted(22, 6);
  EXPECT_EQ(beamed.flag, kFlagBeamShape);
  EXPECT_NEAR(beamed.major_deg, 0.0025, 1e-7);
  EXPECT_EQ(beamed.e_major_deg, 0);
  EXPECT_NEAR(beamed.total, beamed.peak, 1e-3);
  EXPECT_NEAR(beamed.peak, 50, 1e-3);
  const Source moments = fitted(33, 3);
  EXPECT_EQ(moments.flag & (kFlagNotFitted | kFlagSmall), kFlagNotFitted | kFlagSmall);
}

TEST(FitSources, RingsKeepTheirMoments) {
  Field field;
  field.add({100, 32, 32, tilted(30, 30, 0)}, 3);
  IslandPixels ring;
  for (std::size_t i = 0; i < field.pixels.x.size(); ++i) {
    const double r = std::hypot(field.pixels.x[i] - 32, field.pixels.y[i] - 32);
    if (!(r >= 14 && r <= 18)) continue;
    ring.x.push_back(field.pixels.x[i]), ring.y.push_back(field.pixels.y[i]);
    ring.pixel.push_back(100), ring.mean.push_back(0), ring.rms.push_back(1);
  }
  ring.label = {1};
  ring.first.push_back(static_cast<std::int64_t>(ring.x.size()));
  const auto rows = SourceFitter({FitRequest::Method::gaussian, 1}, sky_header(), Beam{0.005, 0.005, 0})
                        .fit(backend("cpu"), field.sums, ring, {}, kWhole);
  EXPECT_EQ(rows[0].fit.flag, kFlagNotFitted);
  EXPECT_FALSE(rows[0].fit.gaussian);
}

TEST(FitSources, SameForAnyNumberOfThreads) {
  Field field;
  for (int k = 0; k < 40; ++k) field.add({20.0 + k, 30.3 + 0.1 * k, 31.6, tilted(6 + 0.1 * k, 5, 9.0 * k)}, 3);
  const Beam beam{0.005, 0.0045, 10};
  const auto fitted = [&](int threads) {
    const auto own = make_backend("cpu", {0, threads, 0}, LogSink{});
    return SourceFitter({FitRequest::Method::gaussian, false, threads}, sky_header(), beam)
        .fit(*own, field.sums, field.pixels, {}, kWhole);
  };
  const auto one = fitted(1), four = fitted(4);
  for (std::size_t k = 0; k < one.size(); ++k) {
    ASSERT_TRUE(one[k].fit.gaussian && four[k].fit.gaussian);
    EXPECT_EQ(one[k].fit.gaussian->component.x, four[k].fit.gaussian->component.x);
    EXPECT_EQ(one[k].fit.gaussian->component.fwhm2.xy, four[k].fit.gaussian->component.fwhm2.xy);
    EXPECT_EQ(one[k].fit.gaussian->covariance, four[k].fit.gaussian->covariance);
  }
}

TEST(FitSources, StopsWhenTold) {
  Field field;
  field.add({80, 30.3, 31.6, tilted(7, 5, 20)}, 3);
  const std::atomic<bool> stop = true;
  const SourceFitter fitter({FitRequest::Method::gaussian, 1}, sky_header(), Beam{0.005, 0.005, 0});
  EXPECT_THROW((void)fitter.fit(backend("cpu"), field.sums, field.pixels, {}, kWhole, Progress({}, &stop)), Cancelled);
}

TEST(FitSources, LargeIslandsTakeOrdinaryWeights) {
  Field field;
  field.add({1000, 32, 32, tilted(32, 32, 0)}, 3);
  ASSERT_GT(field.sums[0].sums.npix, 2500);
  const auto rows = SourceFitter({FitRequest::Method::gaussian, 1}, sky_header(), Beam{0.005, 0.005, 0})
                        .fit(backend("cpu"), field.sums, field.pixels, {}, kWhole);
  EXPECT_EQ(rows[0].fit.flag, kFlagPlainWeights);
  ASSERT_TRUE(rows[0].fit.gaussian);
  EXPECT_NEAR(rows[0].fit.gaussian->component.fwhm2.xx, 32 * 32, 0.1);
}

}  // namespace
}  // namespace reber::testing
