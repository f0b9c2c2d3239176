// SPDX-License-Identifier: BSD-3-Clause
// Wide Gaussians are fitted to the pixels around their islands as well; what is no Gaussian keeps its sums.
#include "core/measure/fitting/wide_fits.hpp"

#include <cmath>

#include "core/measure/fitting/grown_sums.hpp"
#include "tests/support/small_sky.hpp"

namespace reber::testing {
namespace {

const Covariance kWide{500, 90, 380};

/// The row of the brightest pixel, whose fit is `wrong`, or which has none with kFlagNotFitted, fitted once more.
struct Again {
  SourceFit fit;
  bool grown = false;
  Source source = {};
};
Again again(const Image& image, const GaussianComponent& wrong, std::int64_t flag = 0,
            const NoiseCorrelation& errors = NoiseCorrelation()) {
  Backend& cpu = backend("cpu");
  const DetectOptions options;
  const Covariance beam = beam_px();
  const BackgroundModel background = BackgroundModel::constant(image.shape(), 0, 1);
  const auto plane = load(cpu, image);
  const auto islands = cpu.label(*plane, background, options);
  const IslandPixels pixels = cpu.island_pixels(*plane, background, *islands, 1);
  DeblendOptions whole;
  whole.on = false;
  std::vector<SourceRow> rows = deblend(cpu.measure(*plane, background, *islands), pixels, options, whole, {});
  std::size_t brightest = 0;
  for (std::size_t k = 0; k < rows.size(); ++k)
    if (rows[k].sums.peak > rows[brightest].sums.peak) brightest = k;
  SourceFit& fit = rows[brightest].fit;
  fit.flag = flag;
  if ((flag & kFlagNotFitted) == 0) fit.gaussian.emplace(), fit.gaussian->component = wrong;
  ThreadPool pool;
  const std::vector<IslandRows> its = by_island(rows);
  const auto wanted = islands_to_grow(its, pixels, options, beam);
  const IslandPixels around =
      pixels_of_runs(cpu, *plane, background, surrounding_runs(pixels, wanted, image.shape(), pool), options, {});
  const WideFitInputs in{pixels, around, options, beam, {}, NoiseCorrelation(), errors, background, pool};
  std::vector<IslandRows> wide;
  std::ranges::copy_if(its, std::back_inserter(wide), [&](const IslandRows& one) { return has_wide_fit(one, in); });
  fit_with_surroundings(cpu, wide, in, {});
  grow_plain_rows(its, {pixels, around, options, beam, NoiseCorrelation(), pool}, background);
  const std::vector<Source> sources = make_sources(rows, options, header_of(), kBeam);
  const auto its_row = [&](const Source& one) { return one.row == brightest; };
  return {fit, rows[brightest].errors.has_value(), *std::ranges::find_if(sources, its_row)};
}

Image white_noise(std::uint64_t seed) {
  Image image({kSide, kSide});
  Random random(seed);
  for (std::int64_t i = 0; i < image.shape().count(); ++i) image.data()[i] = static_cast<float>(random.normal());
  return image;
}

void add(Image& image, const GaussianComponent& one) {
  std::array<double, 6> unused{};
  for (std::int64_t y = 0; y < kSide; ++y)
    for (std::int64_t x = 0; x < kSide; ++x)
      image.at(y, x) += static_cast<float>(one.evaluate(static_cast<double>(x), static_cast<double>(y), unused));
}

TEST(WideFits, see_the_wings_of_a_gaussian) {
  const GaussianComponent truth{8, 47.2, 48.9, kWide};
  Image image = white_noise(3);
  add(image, truth);
  const Again got = again(image, {9, 47, 49, {620, 50, 500}});
  ASSERT_TRUE(got.fit.gaussian);
  EXPECT_FALSE(got.grown);
  EXPECT_EQ(got.fit.flag, kFlagPlainWeights);
  const GaussianComponent& one = got.fit.gaussian->component;
  const double error = relative_total_error(one, got.fit.gaussian->covariance);
  EXPECT_NEAR(one.peak * gaussian_area(one.fwhm2) / (truth.peak * gaussian_area(truth.fwhm2)), 1, 3 * error);
  EXPECT_LT(error, 0.03);
}

TEST(WideFits, stand_for_faint_sources_whose_islands_do_not_describe_them) {
  const GaussianComponent truth{4.5, 47.2, 48.9, kWide};
  Image image = white_noise(7);
  add(image, truth);
  const Again got = again(image, {}, kFlagNotFitted);
  ASSERT_TRUE(got.fit.gaussian);
  EXPECT_EQ(got.fit.flag, kFlagPlainWeights);
  const double total = truth.peak * gaussian_area(truth.fwhm2) / gaussian_area(beam_px());
  EXPECT_NEAR(got.source.total, total, 3 * got.source.e_total);
  EXPECT_LT(got.source.e_total, 0.06 * total);
}

TEST(WideFits, give_place_and_shape_to_sums_where_wings_are_not_known) {
  // Noise of the beam's shape does not tell the wings of so faint a source.
  const NoiseCorrelation beam = NoiseCorrelation::of_shape(beam_px());
  const GaussianComponent truth{4.5, 47.2, 48.9, kWide};
  const Ellipse axes = ellipse_of(to_sky(truth.fwhm2, *header_of().centre_geometry()));
  double squares = 0, peaks = 0, off = 0;
  int sums = 0;
  for (std::uint64_t seed = 31; seed < 51; ++seed) {
    Image image = white_noise(seed);
    add(image, truth);
    const Again got = again(image, {}, kFlagNotFitted, beam);
    if (got.fit.gaussian) continue;
    ++sums;
    EXPECT_NE(got.source.flag & kFlagComplex, 0);
    squares += std::pow((got.source.major_deg - axes.major) / axes.major, 2);
    // The brightest pixel of a wide source is one that noise lifted.
    peaks += std::pow((got.source.peak - truth.peak) / got.source.e_peak, 2);
    off += (got.source.peak - truth.peak) / truth.peak;
  }
  EXPECT_GE(sums, 5);
  EXPECT_LT(std::sqrt(squares / sums), 0.06);
  EXPECT_LT(std::sqrt(peaks / sums), 1.5);
  EXPECT_LT(std::abs(off / sums), 0.05);
}

TEST(WideFits, are_given_up_where_the_source_is_no_gaussian) {
  Image image = white_noise(4);
  for (std::int64_t y = 0; y < kSide; ++y)
    for (std::int64_t x = 0; x < kSide; ++x)
      if (std::hypot(static_cast<double>(x) - 48, static_cast<double>(y) - 47) <= 14) image.at(y, x) += 8;
  const Again got = again(image, {11, 48, 47, {500, 0, 500}});
  EXPECT_FALSE(got.fit.gaussian);
  EXPECT_EQ(got.fit.flag, kFlagNotFitted);
  EXPECT_TRUE(got.grown);
}

TEST(WideFits, are_given_up_for_wider_wings) {
  // So faint that the sums of the pixels inside and around say nothing.
  const NoiseCorrelation beam = NoiseCorrelation::of_shape(beam_px());
  int given_up = 0;
  for (const std::uint64_t seed : {21u, 22u, 23u, 24u, 25u, 26u}) {
    Image image = white_noise(seed);
    for (std::int64_t y = 0; y < kSide; ++y)
      for (std::int64_t x = 0; x < kSide; ++x)
        image.at(y, x) += static_cast<float>(
            14 * std::exp(-std::hypot(static_cast<double>(x) - 48.2, static_cast<double>(y) - 47.1) / 7));
    given_up += again(image, {11, 48, 47, {260, 0, 260}}, 0, beam).fit.gaussian ? 0 : 1;
  }
  EXPECT_EQ(given_up, 6);
}

TEST(WideFits, leave_others_as_they_are) {
  const Covariance beam = beam_px();
  Image image = white_noise(5);
  add(image, {30, 47.2, 48.9, beam});
  EXPECT_EQ(again(image, {29, 47, 49, beam}).fit.gaussian->component.peak, 29);
  add(image, {8, 47.2, 48.9, kWide});
  EXPECT_EQ(again(image, {9, 47, 49, {620, 50, 500}}, kFlagCore).fit.gaussian->component.peak, 9);
}

}  // namespace
}  // namespace reber::testing
