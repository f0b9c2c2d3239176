// SPDX-License-Identifier: BSD-3-Clause
// Pixels beside islands, and what fits gain by them where the noise of neighbours does not go together.
#include "core/measure/fitting/island_margin.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/measure/fitting/noise_weights.hpp"
#include "core/measure/sources/fit_ladder.hpp"
#include "tests/support/small_sky.hpp"

namespace reber::testing {
namespace {

/// Islands by their letters, a to z in order of their labels; each pixel's value is its place.
IslandPixels islands_of(const std::vector<std::string>& rows) {
  IslandPixels all;
  for (char letter = 'a'; letter <= 'z'; ++letter) {
    for (std::size_t y = 0; y < rows.size(); ++y)
      for (std::size_t x = 0; x < rows[y].size(); ++x)
        if (rows[y][x] == letter)
          all.y.push_back(static_cast<std::int32_t>(y)), all.x.push_back(static_cast<std::int32_t>(x));
    if (static_cast<std::int64_t>(all.y.size()) == all.first.back()) continue;
    all.label.push_back(10 * (letter - 'a' + 1));
    all.first.push_back(static_cast<std::int64_t>(all.y.size()));
  }
  return all;
}

/// The rows with the margins in capitals.
std::vector<std::string> with_margins(std::vector<std::string> rows) {
  const Shape shape{static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(rows[0].size())};
  const MarginRuns made = margin_runs(islands_of(rows), shape);
  for (const LabelRuns::Run& run : made.runs.runs)
    for (std::int32_t x = run.x0; x < run.x1; ++x) {
      const std::int64_t island = made.island[static_cast<std::size_t>(run.label) - 1];
      rows[static_cast<std::size_t>(run.y)][static_cast<std::size_t>(x)] = static_cast<char>('A' + island / 10 - 1);
    }
  return rows;
}

TEST(IslandMargin, is_what_lies_beside_one_island_alone) {
  EXPECT_EQ(with_margins({"........", ".aa.....", "..a.bb..", "........", ".......c"}),
            (std::vector<std::string>{"AAAA....", "Aaa.BBB.", "AAa.bbB.", ".AA.BB.C", "......Cc"}));
}

TEST(IslandMargin, ends_with_the_image) {
  EXPECT_EQ(with_margins({"a..b", "...b"}), (std::vector<std::string>{"aABb", "AABb"}));
  EXPECT_EQ(with_margins({"...."}), (std::vector<std::string>{"...."}));
}

TEST(IslandMargin, has_the_images_pixels_but_no_blank_ones) {
  Image image({3, 4});
  for (std::int64_t i = 0; i < 12; ++i) image.data()[i] = static_cast<float>(i);
  image.at(2, 1) = std::numeric_limits<float>::quiet_NaN();
  for (const std::string& name : tested_backends()) {
    Backend& tested = backend(name);
    const IslandPixels got = island_margins(tested, *load(tested, image), BackgroundModel::constant({3, 4}, 2, 3),
                                            islands_of({"a...", "....", "...."}), {}, {});
    EXPECT_EQ(got.label, std::vector<std::int64_t>{10}) << name;
    EXPECT_EQ(got.pixel, (std::vector<float>{1, 4, 5})) << name;
    EXPECT_EQ(got.mean, (std::vector<float>{2, 2, 2})) << name;
    EXPECT_EQ(got.rms, (std::vector<float>{3, 3, 3})) << name;
  }
}

TEST(IslandMargin, is_fitted_in_raster_order_with_the_island) {
  // An island of rows 2 and 3 with its margin, and what the margin has in rows 1 to 4.
  FitPixels island{{2, 2, 3}, {5, 6, 5}, {9, 8, 7}, {1, 1, 1}};
  FitPixels margin{{1, 1, 2, 2, 3, 4}, {5, 6, 4, 7, 6, 5}, {1, 2, 3, 4, 5, 6}, {2, 2, 2, 2, 2, 2}};
  const KnownPixels known;
  LadderSetting setting;
  setting.known = &known;
  const FitLadder ladder(island, {Candidate{}}, setting, 0, margin);
  FitBatch batch;
  const FitProblem room = ladder.question();
  ASSERT_EQ(room.pixels, 9);
  for (auto* column : {&batch.pixels.y, &batch.pixels.x}) column->resize(9);
  for (auto* column : {&batch.pixels.value, &batch.pixels.rms}) column->resize(9);
  batch.start.resize(1), batch.bounds.resize(1);
  ladder.ask(batch, room);
  EXPECT_EQ(batch.pixels.y, (std::vector<std::int32_t>{1, 1, 2, 2, 2, 2, 3, 3, 4}));
  EXPECT_EQ(batch.pixels.x, (std::vector<std::int32_t>{5, 6, 4, 5, 6, 7, 5, 6, 5}));
  EXPECT_EQ(batch.pixels.value, (std::vector<double>{1, 2, 3, 9, 8, 4, 7, 5, 6}));
  EXPECT_EQ(batch.pixels.rms, (std::vector<double>{2, 2, 2, 1, 1, 2, 1, 2, 2}));
}

TEST(NoiseWeights, are_ordinary_where_the_noise_is_white_and_the_beams_where_it_is_not) {
  const Covariance beam = beam_px();
  const NoiseCorrelation of_beam = NoiseCorrelation::of_shape(beam);
  for (const std::string& name : tested_backends()) {
    Backend& tested = backend(name);
    EXPECT_TRUE(ordinary_weights_are_better(tested, beam, of_beam, NoiseCorrelation(), {})) << name;
    EXPECT_FALSE(ordinary_weights_are_better(tested, beam, of_beam, of_beam, {})) << name;
    EXPECT_FALSE(ordinary_weights_are_better(tested, beam, of_beam,
                                             NoiseCorrelation::of_shape({2 * beam.xx, 2 * beam.xy, 2 * beam.yy}), {}))
        << name;
  }
}

/// Points of S/N 8 to 20 on white noise, fitted with what run_fit() takes; rms of (total - truth) / error.
double pull_in_white_noise(bool margins) {
  Backend& cpu = backend("cpu");
  const ImageHeader header = header_of();
  const DetectOptions options;
  const BackgroundModel background = BackgroundModel::constant({kSide, kSide}, 0, 1);
  Random random(5);
  double squares = 0;
  int count = 0;
  for (int sky = 0; sky < 12; ++sky) {
    Image image({kSide, kSide});
    for (std::int64_t i = 0; i < image.shape().count(); ++i) image.data()[i] = static_cast<float>(random.normal());
    std::array<double, 6> unused{};
    std::vector<GaussianComponent> truth;
    for (int k = 0; k < 9; ++k) {
      const int row = k / 3;
      truth.push_back({8 + 12 * random.uniform(), 16 + 32.0 * (k % 3) + random.uniform(),
                       16 + 32.0 * row + random.uniform(), beam_px()});
    }
    for (std::int64_t y = 0; y < kSide; ++y)
      for (std::int64_t x = 0; x < kSide; ++x)
        for (const GaussianComponent& one : truth)
          image.at(y, x) += static_cast<float>(one.evaluate(static_cast<double>(x), static_cast<double>(y), unused));
    const auto plane = load(cpu, image);
    const auto islands = cpu.label(*plane, background, options);
    const IslandPixels pixels = cpu.island_pixels(*plane, background, *islands, 1);
    const std::vector<SourceRow> sources = deblend(cpu.measure(*plane, background, *islands), pixels, options, {}, {});
    SourceFitter fitter({FitRequest::Method::gaussian, false, 1}, header, kBeam);
    fitter.measure_noise(cpu, *plane, background, *islands);
    IslandPixels beside;
    if (margins) {
      EXPECT_TRUE(
          ordinary_weights_are_better(cpu, *fitter.beam_px(), fitter.weights_noise(), fitter.errors_noise(), {}));
      fitter.take_ordinary_weights();
      beside = island_margins(cpu, *plane, background, pixels, options, {});
    }
    const KnownPixels known = known_pixels(cpu, *plane, {});
    const auto rows = fitter.fit(cpu, sources, pixels, options, known, {}, beside);
    for (const Source& one : make_sources(rows, options, header, kBeam))
      for (const GaussianComponent& of : truth)
        if (std::hypot(one.x - of.x, one.y - of.y) < 2)
          squares += std::pow((one.total - of.peak) / one.e_total, 2), ++count;
  }
  EXPECT_GT(count, 100);
  return std::sqrt(squares / count);
}

TEST(IslandMargin, takes_the_bias_of_chosen_pixels_out_of_fits_in_white_noise) {
  EXPECT_GT(pull_in_white_noise(false), 1.4);
  const double pull = pull_in_white_noise(true);
  EXPECT_GT(pull, 0.8);
  EXPECT_LT(pull, 1.15);
}

}  // namespace
}  // namespace reber::testing
