// SPDX-License-Identifier: BSD-3-Clause
// Islands of scales: compact sources inside them are what they are without scales, and emission has one row.
#include "core/measure/sources/scale_islands.hpp"

#include <algorithm>
#include <cmath>

#include "core/measure/sources/island_rest.hpp"
#include "tests/support/small_sky.hpp"

namespace reber::testing {
namespace {

/// Islands of a lower threshold stand for those of scales: they hold the image's own and more.
struct Found {
  std::vector<IslandSums> own;
  IslandPixels own_pixels, outer;
  DetectOptions options;
};

Found found_at(const Image& image, double low, Connectivity connectivity, bool negative) {
  Backend& cpu = backend("cpu");
  const auto plane = load(cpu, image);
  const BackgroundModel background = BackgroundModel::constant(image.shape(), 0, 1);
  Found found;
  found.options.connectivity = connectivity;
  found.options.negative = negative;
  found.options.min_area = 2;
  DetectOptions wide = found.options;
  wide.seed = wide.flood = low;
  wide.min_area = 1;
  const auto islands = cpu.label(*plane, background, found.options), around = cpu.label(*plane, background, wide);
  found.own = cpu.measure(*plane, background, *islands);
  found.own_pixels = cpu.island_pixels(*plane, background, *islands, 1);
  found.outer = cpu.island_pixels(*plane, background, *around, 1);
  return found;
}

TEST(ScaleIslands, HoldTheIslandsOfTheImageItself) {
  const Image image = sky_of({{60, 30, 30, beam_px()}, {30, 38, 32, beam_px()}, {-40, 70, 70, beam_px()}}, 1);
  for (const Connectivity connectivity : {Connectivity::four, Connectivity::eight})
    for (const bool negative : {false, true}) {
      const Found found = found_at(image, 1, connectivity, negative);
      const InnerIslands inner = inner_islands(found.outer, found.options);
      ASSERT_EQ(inner.sums.size(), found.own.size());
      for (const IslandSums& own : found.own) {
        const auto same = std::ranges::find_if(inner.sums, [&](const IslandSums& one) {
          return one.first_y == own.first_y && one.first_x == own.first_x;
        });
        ASSERT_NE(same, inner.sums.end());
        EXPECT_EQ(same->npix, own.npix);
        EXPECT_EQ(same->peak_y, own.peak_y);
        EXPECT_EQ(same->peak_x, own.peak_x);
        EXPECT_EQ(same->x0, own.x0);
        EXPECT_EQ(same->x1, own.x1);
        EXPECT_EQ(same->y1, own.y1);
        EXPECT_NEAR(same->s, own.s, 1e-9 * own.s);
        EXPECT_NEAR(same->sxy, own.sxy, 1e-9 * std::abs(own.sxy) + 1e-9);
      }
    }
}

TEST(ScaleIslands, EmissionWithoutAPeakHasARowAndNoiseHasNone) {
  Image image = sky_of({}, 2);
  for (std::int64_t y = 20; y < 70; ++y)
    for (std::int64_t x = 20; x < 70; ++x) image.at(y, x) += 2;
  const Found found = found_at(image, 1, Connectivity::eight, false);
  std::vector<SourceRow> rows;
  const std::function<bool(const SourceRow&)> none = [](const SourceRow&) { return false; };
  const IslandPixels nothing;
  const FittedRows fitted{nothing, none};
  add_scale_rows(rows, found.outer, found.options, gaussian_area(beam_px()), {}, &fitted);
  ASSERT_GE(rows.size(), 1u);
  for (const SourceRow& row : rows) EXPECT_EQ(row.fit.flag, kFlagNotFitted);
  const std::vector<Source> sources = make_sources(rows, found.options, header_of(), kBeam);
  const auto most = std::ranges::max_element(sources, {}, &Source::total);
  const auto pixels = std::ranges::max_element(rows, {}, [](const SourceRow& one) { return one.sums.s; });
  EXPECT_NEAR(most->total, pixels->sums.s / gaussian_area(beam_px()), 1e-6 * most->total);
  EXPECT_EQ(most->total, most->isl_total);
}

/// As in the image by itself: nothing is found where the noise is zero, and no row states an error of zero.
TEST(ScaleIslands, NothingIsFoundWhereTheNoiseIsUnknown) {
  const Image image = sky_of({{60, 30, 30, beam_px()}, {30, 38, 32, beam_px()}}, 1);
  Found found = found_at(image, 1, Connectivity::eight, false);
  const std::size_t sources = inner_islands(found.outer, found.options).sums.size();
  ASSERT_GE(sources, 1u);
  IslandPixels& pixels = found.outer;
  const auto peak = static_cast<std::size_t>(std::ranges::max_element(pixels.pixel) - pixels.pixel.begin());
  pixels.rms[peak] = 0;
  std::vector<SourceRow> rows;
  add_scale_rows(rows, pixels, found.options, gaussian_area(beam_px()));
  ASSERT_GE(rows.size(), 1u);
  for (const SourceRow& row : rows) EXPECT_GT(row.sums.peak_rms, 0);
  std::ranges::fill(pixels.rms, 0.F);
  EXPECT_TRUE(inner_islands(pixels, found.options).sums.empty());
  rows.clear();
  add_scale_rows(rows, pixels, found.options, gaussian_area(beam_px()));
  EXPECT_TRUE(rows.empty());
}

/// What Gaussians have beyond an island the pixels around it do not: it is no emission that the rows leave.
TEST(ScaleIslands, WingsOfAFitAreCountedAroundTheIslandAsWell) {
  FitPixels inside, around;
  for (std::int32_t y = 0; y < 41; ++y)
    for (std::int32_t x = 0; x < 41; ++x) {
      const double r = std::hypot(x - 20, y - 20);
      FitPixels& to = r < 10 ? inside : around;
      to.y.push_back(y), to.x.push_back(x), to.value.push_back(r < 10 ? 30 : 0), to.rms.push_back(1);
    }
  double sum = 0;
  for (const double value : inside.value) sum += value;
  SourceRow row;
  row.fit.gaussian.emplace().component = {sum / gaussian_area({196, 0, 196}), 20, 20, {196, 0, 196}};
  row.sums.peak = 1;
  EXPECT_TRUE(rest_of({&row, 1}, inside, 5, 3));
  EXPECT_FALSE(rest_of({&row, 1}, inside, 5, 3, around));
}

}  // namespace
}  // namespace reber::testing
