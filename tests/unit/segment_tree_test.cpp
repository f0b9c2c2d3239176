// SPDX-License-Identifier: BSD-3-Clause
// What becomes a structure, what joins structures, and what lies in what.
#include "core/measure/extended/segment_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <vector>

#include "core/measure/extended/segment_shape.hpp"
#include "core/seam/compute/gaussian_fit.hpp"

namespace reber::testing {
namespace {

/// Rectangles of pixels, each an island with this sum.
struct Block {
  std::int32_t y0, x0, y1, x1;
  double sum;
};

SegmentLevel level_of(double fwhm, const std::vector<Block>& blocks, std::vector<LabelRuns::Run> without = {}) {
  SegmentLevel level;
  level.fwhm_px = fwhm;
  level.runs.shape = {100, 100};
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const Block& b = blocks[k];
    IslandSums sums;
    sums.first_y = sums.y0 = b.y0, sums.first_x = sums.x0 = b.x0, sums.y1 = b.y1, sums.x1 = b.x1;
    sums.npix = std::int64_t{b.y1 - b.y0} * (b.x1 - b.x0);
    sums.s = b.sum, sums.peak_rms = 1;
    level.sums.push_back(sums);
    for (std::int32_t y = b.y0; y < b.y1; ++y) {
      std::int32_t x = b.x0;
      for (const LabelRuns::Run& hole : without)
        if (hole.label == static_cast<std::int32_t>(k + 1) && hole.y == y) {
          level.runs.runs.push_back({y, x, hole.x0, hole.label});
          x = hole.x1;
        }
      level.runs.runs.push_back({y, x, b.x1, static_cast<std::int32_t>(k + 1)});
    }
  }
  std::ranges::sort(level.runs.runs, {}, [](const LabelRuns::Run& run) { return std::tuple(run.y, run.x0); });
  return level;
}

SegmentRules rules() {
  SegmentRules rules;
  rules.noise_area = 4;  // 100 pixels of unit noise: an error of 27
  return rules;
}

constexpr std::size_t kNone = SegmentNode::kNone;

TEST(SegmentTree, TwoIslandsAreJoinedByEmissionBetweenThem) {
  const SegmentLevel fine = level_of(0, {{10, 10, 20, 20, 500}, {10, 40, 20, 50, 700}});
  const auto tree = make_segment_tree(std::vector{fine, level_of(8, {{5, 5, 25, 55, 2000}})}, {}, rules());
  ASSERT_EQ(tree.size(), 3u);
  EXPECT_EQ(tree[0].parent, 2u);
  EXPECT_EQ(tree[1].parent, 2u);
  EXPECT_EQ(tree[2].parent, kNone);
  EXPECT_EQ(tree[2].sums.s, 2000);
  EXPECT_EQ(tree[2].pixels.runs.size(), 20u);
}

TEST(SegmentTree, IslandsThatHoldNothingOfTheirOwnJoinNothing) {
  const SegmentLevel fine = level_of(0, {{10, 10, 20, 20, 500}, {10, 40, 20, 50, 700}});
  const auto tree = make_segment_tree(std::vector{fine, level_of(8, {{5, 5, 25, 55, 1300}})}, {}, rules());
  ASSERT_EQ(tree.size(), 2u);
  EXPECT_EQ(tree[0].parent, kNone);
  EXPECT_EQ(tree[1].parent, kNone);
}

TEST(SegmentTree, OneStructureThatGoesOnGrows) {
  const SegmentLevel fine = level_of(0, {{10, 10, 20, 20, 500}});
  const auto grown = make_segment_tree(std::vector{fine, level_of(8, {{5, 5, 25, 25, 900}})}, {}, rules());
  ASSERT_EQ(grown.size(), 1u);
  EXPECT_EQ(grown[0].level, 1u);
  EXPECT_EQ(grown[0].sums.s, 900);
  const auto core = make_segment_tree(std::vector{fine, level_of(8, {{5, 5, 25, 25, 1500}})}, {}, rules());
  ASSERT_EQ(core.size(), 2u) << "more beside it than in it is a structure of its own";
  EXPECT_EQ(core[0].parent, 1u);
}

TEST(SegmentTree, CompactSourcesAloneAreNoStructureButTwoInAnIslandAre) {
  const SegmentLevel fine = level_of(0, {{10, 10, 20, 20, 150}, {10, 40, 20, 50, 150}});
  const std::vector<CompactSum> compact{{15, 15, 9000}, {43, 15, 5000}, {46, 15, 4000}};
  const auto tree = make_segment_tree(std::vector{fine}, compact, rules());
  ASSERT_EQ(tree.size(), 1u) << "what fits leave of a bright point is none";
  EXPECT_EQ(tree[0].sums.x0, 40);
}

TEST(SegmentTree, HolesAreFilledAndWhatIsInThemLiesInside) {
  std::vector<LabelRuns::Run> hole;
  for (std::int32_t y = 15; y < 35; ++y) hole.push_back({y, 15, 35, 1});
  const SegmentLevel fine = level_of(0, {{10, 10, 40, 40, 5000}, {20, 20, 24, 24, 800}, {60, 60, 70, 70, 900}}, hole);
  const auto tree = make_segment_tree(std::vector{fine}, {}, rules());
  ASSERT_EQ(tree.size(), 3u);
  EXPECT_EQ(tree[0].pixels.runs.size(), 30u) << "a run a row: no hole";
  EXPECT_EQ(tree[0].parent, kNone);
  EXPECT_EQ(tree[1].parent, 0u);
  EXPECT_EQ(tree[2].parent, kNone);
}

TEST(SegmentTree, LabelsAreFoundByPixel) {
  const SegmentLevel level = level_of(0, {{10, 10, 20, 20, 1}, {10, 40, 20, 50, 1}});
  EXPECT_EQ(label_at(level.runs, 10, 10), 1);
  EXPECT_EQ(label_at(level.runs, 19, 49), 2);
  for (const auto& [y, x] : std::vector<std::pair<int, int>>{{10, 9}, {10, 20}, {9, 10}, {20, 40}, {10, 50}, {0, 0}})
    EXPECT_EQ(label_at(level.runs, y, x), 0) << y << ", " << x;
}

Mask disc(double radius, double inner = -1) {
  Mask mask({101, 101});
  for (std::int64_t y = 0; y < 101; ++y)
    for (std::int64_t x = 0; x < 101; ++x) {
      const double r = std::hypot(static_cast<double>(x - 50), static_cast<double>(y - 50));
      if (r <= radius && r > inner) mask.pixels[static_cast<std::size_t>(y * 101 + x)] = 1;
    }
  return mask;
}

TEST(SegmentShape, OutlineOfADiscHasItsAreaAndExtentWithFewCorners) {
  const Mask mask = disc(30);
  const auto outline = outline_of_mask(mask, 60);
  EXPECT_LE(outline.size(), 60u);
  EXPECT_GE(outline.size(), 8u);
  double twice = 0;
  for (std::size_t i = 0; i < outline.size(); ++i) {
    const auto &a = outline[i], &b = outline[(i + 1) % outline.size()];
    twice += a.x * b.y - b.x * a.y;
  }
  EXPECT_NEAR(std::abs(twice) / 2, static_cast<double>(mask.count()), 0.03 * static_cast<double>(mask.count()));
  EXPECT_NEAR(largest_extent(outline), 61, 1.5);
}

TEST(SegmentShape, OfOnePixelIsItsFourCorners) {
  Mask mask({3, 3});
  mask.pixels[4] = 1;
  EXPECT_EQ(outline_of_mask(mask).size(), 4u);
}

TEST(SegmentShape, MomentsOfAGaussianAreItsOwn) {
  Mask all({101, 101});
  std::ranges::fill(all.pixels, 1);
  const GaussianComponent gaussian{3, 48, 52, {200, 40, 120}};
  std::vector<float> values;
  std::array<double, GaussianComponent::kParameters> unused{};
  for (int y = 0; y < 101; ++y)
    for (int x = 0; x < 101; ++x) values.push_back(static_cast<float>(gaussian.evaluate(x, y, unused)));
  values[7] = std::nanf("");
  const Moments m = moments_of(values, all);
  ASSERT_TRUE(m.positive());
  EXPECT_NEAR(m.x, 48, 1e-3);
  EXPECT_NEAR(m.y, 52, 1e-3);
  EXPECT_NEAR(m.fwhm2().xx, 200, 0.1);
  EXPECT_NEAR(m.fwhm2().xy, 40, 0.1);
  EXPECT_NEAR(m.fwhm2().yy, 120, 0.1);
}

TEST(SegmentShape, AShellIsHollowAndADiscIsNot) {
  const Mask filled = disc(30), shell = disc(30, 20);
  std::vector<float> flat, hollow;
  for (std::size_t i = 0; i < filled.pixels.size(); ++i) {
    flat.push_back(static_cast<float>(filled.pixels[i]));
    hollow.push_back(static_cast<float>(shell.pixels[i]));
  }
  const Rim of_disc = rim_of(flat, filled), of_shell = rim_of(hollow, filled);
  EXPECT_NEAR(of_disc.inner / of_disc.outer, 1, 1e-6);
  EXPECT_LT(of_shell.inner, 0.01);
  EXPECT_GT(of_shell.outer, 0.5);
  EXPECT_EQ(of_shell.coverage, 1);
}

}  // namespace
}  // namespace reber::testing
