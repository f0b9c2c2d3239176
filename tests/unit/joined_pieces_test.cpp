// SPDX-License-Identifier: BSD-3-Clause
// Pieces that noise cut out of one wide source become one row; two sources stay two.
#include "core/measure/fitting/joined_pieces.hpp"

#include <cmath>
#include <optional>

#include "tests/support/small_sky.hpp"

namespace reber::testing {
namespace {

constexpr double kPeak = 5;
const GaussianComponent kTruth{kPeak, 47.2, 48.9, {620, 90, 480}};

/// White noise of rms 1 and these sources.
Image sky(const std::vector<GaussianComponent>& scene, std::uint64_t seed) {
  Image image({kSide, kSide});
  Random random(seed);
  std::array<double, 6> unused{};
  for (std::int64_t y = 0; y < kSide; ++y)
    for (std::int64_t x = 0; x < kSide; ++x) {
      double value = random.normal();
      for (const GaussianComponent& one : scene)
        value += one.evaluate(static_cast<double>(x), static_cast<double>(y), unused);
      image.at(y, x) = static_cast<float>(value);
    }
  return image;
}

/// Rows of an image, none with a fit, as join_pieces() leaves them and as refinements do then.
struct Joined {
  std::size_t pieces = 0, rows = 0;  ///< of the island of the brightest pixel, before and after
  Source source = {};                ///< the brightest
};
Joined joined(const Image& image) {
  Backend& cpu = backend("cpu");
  const DetectOptions options;
  const BackgroundModel background = BackgroundModel::constant(image.shape(), 0, 1);
  const auto plane = load(cpu, image);
  const auto islands = cpu.label(*plane, background, options);
  const IslandPixels pixels = cpu.island_pixels(*plane, background, *islands, 1);
  std::vector<SourceRow> rows = deblend(cpu.measure(*plane, background, *islands), pixels, options, {}, {});
  for (SourceRow& row : rows) row.fit.flag = kFlagNotFitted;
  const SourceFitter fitter({FitRequest::Method::gaussian, false, 1}, header_of(), kBeam);
  const KnownPixels known = known_pixels(cpu, *plane, {});
  const BeamField beams(kBeam);
  ThreadPool pool;
  const Job job;
  const Refining in{cpu,  *plane, background, pixels, options, fitter, beams, known, nullptr, Refining::Islands::image,
                    pool, job};
  const std::int64_t island =
      std::ranges::max_element(rows, {}, [](const SourceRow& one) { return one.sums.peak; })->island;
  const auto of_island = [&] { return static_cast<std::size_t>(std::ranges::count(rows, island, &SourceRow::island)); };
  Joined got;
  got.pieces = of_island();
  join_pieces(rows, in);
  got.rows = of_island();
  Refining refining = in;
  refine_rows(rows, refining);
  const std::vector<Source> sources = make_sources(rows, options, header_of(), kBeam);
  for (const Source& one : sources)
    if (one.island == island && !(one.snr <= got.source.snr)) got.source = one;
  return got;
}

TEST(JoinedPieces, of_one_gaussian_are_one_row_whose_errors_are_right) {
  const double total = kTruth.peak * gaussian_area(kTruth.fwhm2) / gaussian_area(beam_px());
  int cut = 0;
  double peaks = 0, totals = 0;
  for (std::uint64_t seed = 1; seed < 60; ++seed) {
    const Joined got = joined(sky({kTruth}, seed));
    if (got.pieces < 2) continue;
    ++cut;
    EXPECT_EQ(got.rows, 1u) << seed;
    peaks += std::pow((got.source.peak - kTruth.peak) / got.source.e_peak, 2);
    totals += std::pow((got.source.total - total) / got.source.e_total, 2);
  }
  ASSERT_GE(cut, 8);
  EXPECT_LT(std::sqrt(peaks / cut), 1.6);
  EXPECT_LT(std::sqrt(totals / cut), 1.6);
}

TEST(JoinedPieces, leave_two_sources_two) {
  GaussianComponent left{12, 40, 48, {160, 0, 160}}, right = left;
  right.x = 56;
  int two = 0;
  for (std::uint64_t seed = 1; seed < 8; ++seed) {
    const Joined got = joined(sky({left, right}, seed));
    if (got.pieces < 2) continue;
    ++two;
    EXPECT_EQ(got.rows, got.pieces) << seed;
  }
  EXPECT_GE(two, 3);
}

TEST(JoinedPieces, are_none_where_a_fit_of_the_whole_or_a_cut_stands) {
  const auto plain = [] {
    SourceRow row;
    row.sums = {400, 30, 30, 30, 30, 50, 50, 40, 40, 6, 0, 1, 1600, 16000, 16000, 180000, 160000, 180000};
    row.fit.flag = kFlagNotFitted;
    return row;
  };
  std::vector<SourceRow> rows{plain(), plain()};
  const auto pieces = [&] { return are_pieces(rows, {}, beam_px()); };
  EXPECT_TRUE(pieces());
  rows[1].fit = {FittedGaussian{kTruth, {}, false}, kFlagPart};
  EXPECT_TRUE(pieces());
  rows[1].fit.flag = 0;
  EXPECT_FALSE(pieces());
  rows[1] = plain();
  for (const std::int64_t flag : {kFlagCore, kFlagRest}) {
    rows[1].fit.flag = kFlagNotFitted | flag;
    EXPECT_FALSE(pieces()) << flag;
  }
  rows[1] = plain(), rows[1].cut = true;
  EXPECT_FALSE(pieces());
  rows.pop_back();
  EXPECT_FALSE(pieces());
}

}  // namespace
}  // namespace reber::testing
