// SPDX-License-Identifier: BSD-3-Clause
// The books of islands: rows and rest are the pixels, emission is not counted twice nor lost, no ellipse is a giant.
#include "core/measure/sources/island_rest.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "tests/support/small_sky.hpp"

namespace reber::testing {
namespace {

/// Adds a disc of one brightness.
void add_disc(Image& image, double px, double py, double radius, float level) {
  for (std::int64_t y = 0; y < kSide; ++y)
    for (std::int64_t x = 0; x < kSide; ++x)
      if (std::hypot(static_cast<double>(x) - px, static_cast<double>(y) - py) <= radius) image.at(y, x) += level;
}

void expect_books(const std::vector<Source>& sources) {
  std::map<std::int64_t, double> rows;
  for (const Source& one : sources) rows[one.island] += one.total;
  for (const Source& one : sources)
    EXPECT_NEAR(rows[one.island] + one.isl_rest, one.isl_total, 1e-9 * std::abs(one.isl_total));
}

double sum_of_totals(const std::vector<Source>& sources) {
  double sum = 0;
  for (const Source& one : sources) sum += one.total;
  return sum;
}

TEST(IslandRest, RowsAndRestAreThePixels) {
  Image image = sky_of({{60, 30, 30, beam_px()}, {30, 38, 32, beam_px()}, {20, 70, 70, beam_px()}}, 1);
  add_disc(image, 36, 66, 14, 6);
  const std::vector<Source> sources = found_in(image);
  ASSERT_GE(sources.size(), 4u);
  expect_books(sources);
  // Two rows of one island say the same of it.
  const auto same = std::ranges::adjacent_find(
      sources, [](const Source& a, const Source& b) { return a.island == b.island && a.isl_total != b.isl_total; });
  EXPECT_EQ(same, sources.end());
}

TEST(IslandRest, EmissionOfOneBrightnessHoldsItsPixelsAndNoMore) {
  for (const float level : {4.5f, 6.0f, 9.0f}) {
    SCOPED_TRACE(level);
    Image image = sky_of({}, 2);
    add_disc(image, 48, 48, 20, level);
    const std::vector<Source> sources = found_in(image);
    ASSERT_FALSE(sources.empty());
    expect_books(sources);
    const double truth = level * 3.14159265 * 400 / gaussian_area(beam_px());
    EXPECT_LT(sum_of_totals(sources), 1.1 * truth);
    for (const Source& one : sources) EXPECT_LT(one.major_deg, 1e-3 * 1.42 * kSide);
  }
}

TEST(IslandRest, WhatCoresLeaveHasARow) {
  // A bright point beside a long arm that no Gaussian describes.
  Image image = sky_of({{200, 30, 30, beam_px()}}, 3);
  for (std::int64_t x = 30; x < 85; ++x)
    for (std::int64_t y = 27; y < 34; ++y) image.at(y + (x - 30) * (x - 30) / 60, x) += 12;
  const std::vector<Source> sources = found_in(image);
  expect_books(sources);
  const double truth = 200 + 12 * 55 * 7 / gaussian_area(beam_px());
  EXPECT_NEAR(sum_of_totals(sources), truth, 0.06 * truth);
}

TEST(IslandRest, ACompactPairLeavesNothing) {
  const std::vector<Source> sources = found_in(sky_of({{60, 40, 40, beam_px()}, {50, 48, 42, beam_px()}}, 4));
  ASSERT_EQ(sources.size(), 2u);
  for (const Source& one : sources) EXPECT_EQ(one.flag & kFlagRest, 0);
}

}  // namespace
}  // namespace reber::testing
