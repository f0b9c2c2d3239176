// SPDX-License-Identifier: BSD-3-Clause
// Sources that no Gaussian describes hold what lies around their islands, and say how well that is known.
#include "core/measure/fitting/grown_sums.hpp"
#include "core/measure/fitting/pair_sums.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "tests/support/small_sky.hpp"

namespace reber::testing {
namespace {

const NoiseCorrelation kOfBeam = NoiseCorrelation::of_shape(beam_px());

/// The rows of an image, grown.   fitted: what stands for the row of the brightest pixel; the others' fits are refused
std::vector<Source> grown_in(const Image& image, const NoiseCorrelation& noise, bool grow = true,
                             const std::optional<GaussianComponent>& fitted = {}) {
  Backend& cpu = backend("cpu");
  const DetectOptions options;
  const BackgroundModel background = BackgroundModel::constant(image.shape(), 0, 1);
  const auto plane = load(cpu, image);
  const auto islands = cpu.label(*plane, background, options);
  const IslandPixels pixels = cpu.island_pixels(*plane, background, *islands, 1);
  std::vector<SourceRow> rows = deblend(cpu.measure(*plane, background, *islands), pixels, options, {}, {});
  for (SourceRow& row : rows) row.fit.flag = kFlagNotFitted;
  if (fitted) {
    const auto brightest = std::ranges::max_element(rows, {}, [](const SourceRow& one) { return one.sums.peak; });
    brightest->fit = {FittedGaussian{*fitted, {}, false}, 0};
  }
  ThreadPool pool;
  const std::vector<IslandRows> its = by_island(rows);
  const auto wanted = islands_to_grow(its, pixels, options, beam_px());
  const IslandPixels around =
      pixels_of_runs(cpu, *plane, background, surrounding_runs(pixels, wanted, image.shape(), pool), options, {});
  if (grow) grow_plain_rows(its, {pixels, around, options, beam_px(), noise, pool}, background);
  return make_sources(rows, options, header_of(), kBeam);
}

Image without_noise(const std::vector<GaussianComponent>& scene) {
  Image image({kSide, kSide});
  std::array<double, 6> unused{};
  for (std::int64_t y = 0; y < kSide; ++y)
    for (std::int64_t x = 0; x < kSide; ++x) {
      double value = 0;
      for (const GaussianComponent& one : scene)
        value += one.evaluate(static_cast<double>(x), static_cast<double>(y), unused);
      image.at(y, x) = static_cast<float>(value);
    }
  return image;
}

double total_of(const GaussianComponent& one) { return one.peak * gaussian_area(one.fwhm2) / gaussian_area(beam_px()); }

TEST(GrownSums, hold_what_lies_below_the_flood_level) {
  for (const double peak : {5.5, 7.0, 10.0, 40.0}) {
    SCOPED_TRACE(peak);
    const GaussianComponent wide{peak, 47.3, 48.6, {500, 90, 380}};
    const std::vector<Source> plain = grown_in(without_noise({wide}), kOfBeam, false);
    const std::vector<Source> grown = grown_in(without_noise({wide}), kOfBeam);
    ASSERT_EQ(grown.size(), 1u);
    EXPECT_NEAR(plain[0].total, (1 - 3 / peak) * total_of(wide), 0.01 * total_of(wide));
    EXPECT_NEAR(grown[0].total, total_of(wide), 0.03 * total_of(wide));
    EXPECT_NEAR(grown[0].x, wide.x, 0.1);
    EXPECT_NEAR(grown[0].y, wide.y, 0.1);
    const Ellipse truth = ellipse_of(to_sky(wide.fwhm2, *header_of().centre_geometry()));
    EXPECT_NEAR(grown[0].major_deg, truth.major, 0.1 * truth.major);
    EXPECT_NEAR(grown[0].minor_deg, truth.minor, 0.1 * truth.minor);
    // What belongs to the island alone stays.
    EXPECT_EQ(grown[0].npix, plain[0].npix);
    EXPECT_EQ(grown[0].isl_total, plain[0].isl_total);
    EXPECT_EQ(grown[0].peak, plain[0].peak);
    EXPECT_NEAR(grown[0].isl_rest, grown[0].isl_total - grown[0].total, 1e-9);
  }
}

TEST(GrownSums, hold_the_wings_of_an_exponential) {
  Image image({kSide, kSide});
  for (std::int64_t y = 0; y < kSide; ++y)
    for (std::int64_t x = 0; x < kSide; ++x)
      image.at(y, x) = static_cast<float>(
          10 * std::exp(-std::hypot(static_cast<double>(x) - 47.6, static_cast<double>(y) - 48.3) / 6));
  const double truth = 2 * std::numbers::pi * 10 * 36 / gaussian_area(beam_px());
  const std::vector<Source> got = grown_in(image, kOfBeam);
  ASSERT_EQ(got.size(), 1u);
  EXPECT_NEAR(got[0].total / truth, 1, 0.05);
  EXPECT_NEAR(got[0].x, 47.6, 0.1);
  EXPECT_NEAR(got[0].y, 48.3, 0.1);
}

TEST(GrownSums, hold_what_lies_around_where_that_tells_no_shape) {
  // A deep hole far from the source: moments of all pixels have no shape, and their sum is right.
  const GaussianComponent wide{5.5, 47.3, 48.6, {500, 90, 380}};
  Image image = without_noise({wide});
  for (const std::int64_t y : {12, 84})
    for (const std::int64_t x : {12, 84})
      for (std::int64_t dy = 0; dy < 4; ++dy)
        for (std::int64_t dx = 0; dx < 4; ++dx) image.at(y + dy, x + dx) -= 20;
  const std::vector<Source> plain = grown_in(image, kOfBeam, false), grown = grown_in(image, kOfBeam);
  ASSERT_EQ(grown.size(), 1u);
  EXPECT_NE(grown[0].total, plain[0].total);
  EXPECT_GT(grown[0].e_total, plain[0].e_total);
  const Ellipse truth = ellipse_of(to_sky(wide.fwhm2, *header_of().centre_geometry()));
  EXPECT_NEAR(grown[0].major_deg, truth.major, 2 * grown[0].e_major_deg) << "moments that end at the flood level";
  EXPECT_NEAR(grown[0].minor_deg, truth.minor, 2 * grown[0].e_minor_deg);
}

TEST(GrownSums, leave_points_as_they_are) {
  const Image image = without_noise({{30, 30, 31, beam_px()}, {7, 60, 61, beam_px()}});
  const std::vector<Source> plain = grown_in(image, kOfBeam, false), grown = grown_in(image, kOfBeam);
  ASSERT_EQ(grown.size(), 2u);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(grown[k].total, plain[k].total);
    EXPECT_EQ(grown[k].e_total, plain[k].e_total);
    EXPECT_EQ(grown[k].x, plain[k].x);
  }
}

TEST(GrownSums, are_shared_by_the_rows_of_an_island) {
  const GaussianComponent one{7, 34, 48, {500, 0, 380}}, other{12, 64, 50, {400, 0, 400}};
  const std::vector<Source> grown = grown_in(without_noise({one, other}), kOfBeam);
  ASSERT_EQ(grown.size(), 2u);
  EXPECT_NEAR(grown[0].total + grown[1].total, total_of(one) + total_of(other),
              0.04 * (total_of(one) + total_of(other)));
  for (const Source& row : grown) EXPECT_GT(row.e_total, 0);
}

TEST(GrownSums, leave_out_what_a_gaussian_beside_them_has_on_their_pixels) {
  const GaussianComponent one{12, 36, 48, {500, 0, 380}}, other{14, 62, 50, {500, 0, 400}};
  const std::vector<Source> grown = grown_in(without_noise({one, other}), kOfBeam, true, other);
  ASSERT_EQ(grown.size(), 2u);
  EXPECT_NEAR(grown[0].total + grown[1].total, total_of(one) + total_of(other),
              0.01 * (total_of(one) + total_of(other)));
}

TEST(GrownSums, state_the_error_of_sums_over_noise) {
  FitPixels pixels;
  IslandSums sums;
  for (std::int32_t y = 0; y < 30; ++y)
    for (std::int32_t x = 0; x < 40; ++x)
      pixels.y.push_back(y), pixels.x.push_back(x), pixels.value.push_back(2), pixels.rms.push_back(0.5);
  sums.s = 2 * 1200, sums.sx = sums.s * 19.5, sums.sy = sums.s * 14.5;
  for (std::size_t i = 0; i < 1200; ++i)
    sums.sxx += 2.0 * pixels.x[i] * pixels.x[i], sums.syy += 2.0 * pixels.y[i] * pixels.y[i],
        sums.sxy += 2.0 * pixels.x[i] * pixels.y[i];
  const SumErrors white = sum_errors(pixels, sums, NoiseCorrelation());
  EXPECT_NEAR(white.s, 0.5 * std::sqrt(1200.0), 1e-9);
  // sigma^2 sum (x - c)^2 / S^2, of 40 and 30 columns and rows; every third pixel stands for three.
  const double xx = 0.25 * 1200 * (1600 - 1) / 12 / (2400.0 * 2400),
               yy = 0.25 * 1200 * (900 - 1) / 12 / (2400.0 * 2400);
  EXPECT_NEAR(white.place.xx, xx, 0.02 * xx);
  EXPECT_NEAR(white.place.yy, yy, 0.02 * yy);
  EXPECT_NEAR(white.place.xy, 0, 0.02 * xx);
  // Noise of the beam's shape: its integral is the beam's area, less what has no partner at the rim.
  const double beam = gaussian_area(beam_px()), correlated = sum_errors(pixels, sums, kOfBeam).s;
  EXPECT_LT(correlated, 0.5 * std::sqrt(1200 * beam));
  EXPECT_GT(correlated, 0.8 * 0.5 * std::sqrt(1200 * beam));
}

/// rms of (total - truth) / error, and the mean of total over truth, of wide Gaussians of S/N 5.5 to 9 in noise.
std::pair<double, double> pulls(bool grow) {
  double squares = 0, ratios = 0;
  int count = 0;
  const NoiseCorrelation boxes = [] {  // sky_of() sums squares of 4 x 4 pixels
    std::vector<double> values;
    for (int dy = 0; dy <= 3; ++dy)
      for (int dx = -3; dx <= 3; ++dx) values.push_back((4 - dy) * (4 - std::abs(dx)) / 16.0);
    return NoiseCorrelation::of_table(3, values);
  }();
  Random random(11);
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const GaussianComponent wide{5.5 + 3.5 * random.uniform(),
                                 46 + 4 * random.uniform(),
                                 46 + 4 * random.uniform(),
                                 {300 + 250 * random.uniform(), 80, 300 + 150 * random.uniform()}};
    double total = 0, error2 = 0;
    for (const Source& row : grown_in(sky_of({wide}, seed), boxes, grow))
      total += row.total, error2 += row.e_total * row.e_total;
    squares += std::pow(total - total_of(wide), 2) / error2, ratios += total / total_of(wide), ++count;
  }
  return {std::sqrt(squares / count), ratios / count};
}

TEST(GrownSums, are_the_truth_within_their_errors) {
  const auto [before, less] = pulls(false);
  EXPECT_GT(before, 4);
  EXPECT_LT(less, 0.75);
  const auto [pull, mean] = pulls(true);
  EXPECT_LT(pull, 1.4);
  EXPECT_GT(pull, 0.6);
  EXPECT_NEAR(mean, 1, 0.06);
}

}  // namespace
}  // namespace reber::testing
