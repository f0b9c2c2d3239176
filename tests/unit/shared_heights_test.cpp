// SPDX-License-Identifier: BSD-3-Clause
// Gaussians of one island hold what its pixels hold, though they were fitted one by one.
#include "core/measure/fitting/shared_heights.hpp"

#include <cmath>

#include "core/measure/fitting/grown_sums.hpp"
#include "core/measure/sources/shape_errors.hpp"
#include "tests/support/small_sky.hpp"

namespace reber::testing {
namespace {

using Scene = std::vector<GaussianComponent>;

double flux_of(const GaussianComponent& one) { return one.peak * gaussian_area(one.fwhm2); }

double flux_of(const Scene& scene) {
  double sum = 0;
  for (const GaussianComponent& one : scene) sum += flux_of(one);
  return sum;
}

Image image_of(const Scene& scene) {
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

/// An image of one island, and so many rows of it that each have all of its pixels.
struct Island {
  std::unique_ptr<Plane> plane;
  BackgroundModel background;
  IslandPixels pixels;
  std::vector<SourceRow> rows;
};
Island island_of(const Image& image, std::size_t count) {
  Backend& cpu = backend("cpu");
  const DetectOptions options;
  Island got{load(cpu, image), BackgroundModel::constant(image.shape(), 0, 1), {}, {}};
  const auto islands = cpu.label(*got.plane, got.background, options);
  got.pixels = cpu.island_pixels(*got.plane, got.background, *islands, 1);
  DeblendOptions whole;
  whole.on = false;
  const auto island = deblend(cpu.measure(*got.plane, got.background, *islands), got.pixels, options, whole, {});
  EXPECT_EQ(island.size(), 1u);
  got.rows.assign(count, island.front());
  return got;
}

/// As the table of refinements has it.
void share(Island& of) {
  const DetectOptions options;
  ThreadPool pool;
  const std::vector<IslandRows> its = by_island(of.rows);
  const auto wanted = islands_to_grow(its, of.pixels, options, beam_px());
  const IslandPixels around =
      pixels_of_runs(backend("cpu"), *of.plane, of.background,
                     surrounding_runs(of.pixels, wanted, of.background.grid.image, pool), options, {});
  if (!around.label.empty() && are_wide_fits(of.rows, beam_px()))
    share_heights(its, {of.pixels, around, options, beam_px(), NoiseCorrelation(), pool});
}

std::vector<SourceFit> fits_of(const std::vector<SourceRow>& rows) {
  std::vector<SourceFit> fits;
  for (const SourceRow& row : rows) fits.push_back(row.fit);
  return fits;
}

/// An image of one island, and these Gaussians for the rows of it.   cut: the first row;   variance: of the heights, of
/// the first one four times that where it is `unsure`
std::vector<SourceFit> held(const Image& image, const Scene& wrong, bool cut = false, double variance = 0.01,
                            bool unsure = false) {
  Island of = island_of(image, wrong.size());
  of.rows.front().cut = cut;
  for (std::size_t k = 0; k < wrong.size(); ++k) {
    SourceFit& fit = of.rows[k].fit;
    fit.gaussian.emplace(), fit.gaussian->component = wrong[k], fit.flag = kFlagPart;
    fit.gaussian->covariance[0][0] = (unsure && k == 0 ? 4 : 1) * variance * wrong[k].peak * wrong[k].peak;
  }
  share(of);
  return fits_of(of.rows);
}

double flux_of(const std::vector<SourceFit>& fits) {
  double sum = 0;
  for (const SourceFit& one : fits) sum += flux_of(one.gaussian->component);
  return sum;
}

const Scene kTruth{{40, 38, 48, {200, 0, 200}}, {30, 56, 49, {220, 30, 180}}};

TEST(SharedHeights, hold_the_pixels) {
  Scene wrong = kTruth;
  wrong[0].peak *= 1.3, wrong[1].peak *= 1.1;
  const std::vector<SourceFit> got = held(image_of(kTruth), wrong);
  EXPECT_NEAR(flux_of(got) / flux_of(kTruth), 1, 0.01);
  for (const SourceFit& one : got) EXPECT_EQ(one.flag, kFlagPart);
}

TEST(SharedHeights, of_shapes_that_are_none_hold_the_pixels_as_well) {
  Image ring({kSide, kSide});
  double sum = 0;
  for (std::int64_t y = 0; y < kSide; ++y)
    for (std::int64_t x = 0; x < kSide; ++x) {
      const double r = std::hypot(static_cast<double>(x) - 48, static_cast<double>(y) - 48);
      ring.at(y, x) = r < 20 && r > 12 ? 20 : 0;
      sum += ring.at(y, x);
    }
  Scene parts;
  for (const double turn : {0.0, 1.57, 3.14, 4.71})
    parts.push_back({24, 48 + 16 * std::cos(turn), 48 + 16 * std::sin(turn), {300, 0, 300}});
  EXPECT_NEAR(flux_of(held(ring, parts)), sum, 2e-3 * sum);
}

TEST(SharedHeights, stay_where_they_are_right_and_of_points_and_cut_sources) {
  EXPECT_NEAR(held(image_of(kTruth), kTruth)[0].gaussian->component.peak, kTruth[0].peak, 1e-3 * kTruth[0].peak);
  Scene wrong = kTruth;
  wrong[0].peak *= 1.3;
  EXPECT_EQ(held(image_of(kTruth), wrong, true)[0].gaussian->component.peak, wrong[0].peak);
  const Scene points{{40, 45, 48, beam_px()}, {30, 50, 49, beam_px()}};
  wrong = points;
  wrong[0].peak *= 1.3;
  EXPECT_EQ(held(image_of(points), wrong)[0].gaussian->component.peak, wrong[0].peak);
}

/// The scene so many times as bright.
Scene brighter(Scene scene, double times) {
  for (GaussianComponent& one : scene) one.peak *= times;
  return scene;
}

TEST(SharedHeights, of_bright_sources_hold_the_pixels_to_a_part_in_two_hundred) {
  const Scene bright = brighter(kTruth, 100);
  for (const double off : {1.012, 0.988}) {
    const std::vector<SourceFit> got = held(image_of(bright), brighter(bright, off));
    EXPECT_NEAR(flux_of(got) / flux_of(bright), 1, 0.003);
  }
  EXPECT_NEAR(flux_of(held(image_of(bright), brighter(bright, 1.002))) / flux_of(bright), 1, 0.0005);
}

TEST(SharedHeights, have_no_smaller_errors_than_the_sum_that_they_hold) {
  const std::vector<SourceFit> got = held(image_of(kTruth), brighter(kTruth, 1.3), false, 1e-8);
  double square = 0;
  for (const SourceFit& one : got)
    square += std::pow(
        flux_of(one.gaussian->component) * relative_total_error(one.gaussian->component, one.gaussian->covariance), 2);
  EXPECT_GT(std::sqrt(square), 30);  // of more than a thousand pixels
  EXPECT_LT(std::sqrt(square), 90);
}

TEST(SharedHeights, share_what_they_lack_as_the_squares_of_their_errors) {
  const Scene low = brighter(kTruth, 0.996);  // too little to be wrong
  const std::vector<SourceFit> got = held(image_of(kTruth), low, false, 0.01, true);
  EXPECT_NEAR(flux_of(got) / flux_of(kTruth), 1, 0.001);
  const auto gained = [&](std::size_t k) { return flux_of(got[k].gaussian->component) - flux_of(low[k]); };
  EXPECT_GT(gained(0), 0);
  EXPECT_NEAR(gained(0) / gained(1), 4 * std::pow(flux_of(low[0]) / flux_of(low[1]), 2), 1e-6);
}

TEST(SharedHeights, stay_where_the_shapes_are_what_is_unsure) {
  Island of = island_of(image_of(kTruth), 2);
  Scene low = kTruth;
  for (std::size_t k = 0; k < 2; ++k) {
    for (double* axis : {&low[k].fwhm2.xx, &low[k].fwhm2.xy, &low[k].fwhm2.yy}) *axis *= 0.996;
    FittedGaussian& one = of.rows[k].fit.gaussian.emplace();
    one.component = low[k];
    for (const std::size_t a : {3, 5}) one.covariance[a][a] = 100;
  }
  share(of);
  const std::vector<SourceFit> fits = fits_of(of.rows);
  EXPECT_NEAR(flux_of(fits) / flux_of(kTruth), 1, 0.001);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(fits[k].gaussian->component.peak, kTruth[k].peak, 1e-4 * kTruth[k].peak);
    EXPECT_GT(gaussian_area(fits[k].gaussian->component.fwhm2), gaussian_area(low[k].fwhm2));
  }
}

TEST(SharedHeights, of_one_wide_gaussian_hold_the_pixels_where_these_say_more) {
  const auto times_beam = [](double area) {
    const Covariance beam = beam_px();
    return Scene{{40, 48, 48, {area * beam.xx, area * beam.xy, area * beam.yy}}};
  };
  const auto got = [](const Scene& wide, double times, std::int64_t flag) {
    Island of = island_of(image_of(wide), 1);
    SourceFit& fit = of.rows[0].fit;
    fit.gaussian.emplace(), fit.gaussian->component = wide[0], fit.gaussian->component.peak *= times;
    fit.flag = flag;
    share(of);
    return flux_of(fits_of(of.rows)) / flux_of(wide);
  };
  const Scene wide = times_beam(3.5);
  EXPECT_NEAR(got(wide, 0.9, 0), 1, 0.01);
  EXPECT_DOUBLE_EQ(got(wide, 0.999, 0), 0.999);
  EXPECT_DOUBLE_EQ(got(wide, 0.9, kFlagCore), 0.9);
  EXPECT_DOUBLE_EQ(got(times_beam(2.5), 0.9, 0), 0.9);  // in a crowd what lies around it is of others
}

TEST(SharedHeights, of_one_wide_gaussian_doubt_what_they_change) {
  const Covariance beam = beam_px();
  const Scene wide{{40, 48, 48, {3.5 * beam.xx, 3.5 * beam.xy, 3.5 * beam.yy}}};
  Island of = island_of(image_of(wide), 1);
  SourceFit& fit = of.rows[0].fit;
  fit.gaussian.emplace(), fit.gaussian->component = wide[0], fit.gaussian->component.peak *= 0.8;
  fit.flag = 0;
  share(of);
  EXPECT_NEAR(fit.gaussian->component.peak, wide[0].peak, 0.02 * wide[0].peak);
  EXPECT_GT(std::sqrt(fit.gaussian->covariance[0][0]), 0.19 * wide[0].peak);
}

TEST(SharedHeights, of_emission_in_pieces_hold_the_pixels) {
  // Five points that together are no point.
  Scene pieces;
  for (const double at : {-8.0, -4.0, 0.0, 4.0, 8.0}) pieces.push_back({30, 48 + at, 48 + 0.5 * at, beam_px()});
  const Scene low = brighter(pieces, 0.99);
  EXPECT_NEAR(flux_of(held(image_of(pieces), low)) / flux_of(pieces), 1, 0.003);
  const Scene three(pieces.begin(), pieces.begin() + 3);
  EXPECT_NEAR(flux_of(held(image_of(three), brighter(three, 0.99))) / flux_of(three), 0.99, 1e-9);
}

/// Rows of Gaussians and, before them, one of moments that holds a part of the pixels' sum.
std::vector<SourceFit> held_beside(const Scene& wrong, double part, std::int64_t flag) {
  Island of = island_of(image_of(kTruth), wrong.size() + 1);
  IslandSums& sums = of.rows[0].sums;
  for (double* sum : {&sums.s, &sums.sx, &sums.sy, &sums.sxx, &sums.sxy, &sums.syy}) *sum *= part;
  if ((flag & kFlagRest) == 0) sums.npix = 60;  // no more than a point of that peak has
  of.rows[0].fit.flag = flag;
  for (std::size_t k = 0; k < wrong.size(); ++k) of.rows[k + 1].fit.gaussian.emplace().component = wrong[k];
  share(of);
  of.rows.erase(of.rows.begin());
  return fits_of(of.rows);
}

TEST(SharedHeights, beside_moments_hold_what_these_leave) {
  const double all = flux_of(kTruth);
  const std::vector<SourceFit> got = held_beside(kTruth, 0.5, kFlagNotFitted);
  EXPECT_NEAR(flux_of(got) / all, 0.48, 0.01);
  EXPECT_NEAR(got[0].gaussian->component.peak / kTruth[0].peak, got[1].gaussian->component.peak / kTruth[1].peak, 1e-9);
  // Nothing is left for them.
  EXPECT_EQ(held_beside(kTruth, 0.9, kFlagNotFitted)[0].gaussian->component.peak, kTruth[0].peak);
  // What others leave is no moment of its own.
  EXPECT_EQ(held_beside(kTruth, 0.5, kFlagNotFitted | kFlagRest)[0].gaussian->component.peak, kTruth[0].peak);
}

}  // namespace
}  // namespace reber::testing
