// SPDX-License-Identifier: BSD-3-Clause
// Pixels of given runs of a streamed plane: the bits of a resident one, and no more of the source than the parts of
// rows that they lie in.
#include "kernels/shared/run_windows.hpp"

#include <fmt/format.h>

#include "tests/conformance/streamed_planes.hpp"

namespace reber::testing {
namespace {

constexpr Shape kWide{700, 8000};

/// A ring about each of some places: two runs in most rows.
LabelRuns rings() {
  constexpr std::int64_t kOuter = 40, kInner = 22;
  const std::vector<std::pair<std::int64_t, std::int64_t>> centres{{60, 50}, {63, 2000}, {400, 7950}, {650, 4000}};
  LabelRuns rings{kWide, {}};
  for (std::int64_t y = 0; y < kWide.ny; ++y)
    for (std::size_t k = 0; k < centres.size(); ++k) {
      const auto add = [&](std::int64_t x0, std::int64_t x1) {
        rings.runs.push_back({static_cast<std::int32_t>(y), static_cast<std::int32_t>(x0),
                              static_cast<std::int32_t>(x1), static_cast<std::int32_t>(k) + 1});
      };
      const auto [cy, cx] = centres[k];
      const std::int64_t dy = std::abs(y - cy);
      if (dy > kOuter) continue;
      if (dy > kInner) {
        add(cx - kOuter, cx + kOuter);
      } else {
        add(cx - kOuter, cx - kInner);
        add(cx + kInner, cx + kOuter);
      }
    }
  return rings;
}

void expect_same_pixels(const IslandPixels& a, const IslandPixels& b) {
  EXPECT_EQ(a.label, b.label);
  EXPECT_EQ(a.first, b.first);
  EXPECT_EQ(a.y, b.y);
  EXPECT_EQ(a.x, b.x);
  EXPECT_TRUE(same_values(a.pixel, b.pixel));
  EXPECT_TRUE(same_values(a.mean, b.mean));
  EXPECT_TRUE(same_values(a.rms, b.rms));
}

TEST(RunWindows, runs_near_each_other_share_a_window_and_many_are_left_to_a_walk) {
  const std::vector<rules::Run> runs{{5, 10, 20}, {5, 900, 905}, {5, 4000, 4001}, {7, 3, 4}};
  const auto windows = windows_of_runs(runs, kWide, 4);
  ASSERT_EQ(windows.size(), 3U);
  EXPECT_TRUE(windows[0].where == (Rect{5, 10, 1, 895}));
  EXPECT_EQ(windows[0].last, 2U);
  EXPECT_TRUE(windows[2].where == (Rect{7, 3, 1, 1}));
  EXPECT_EQ(windows[2].first, 3U);
  EXPECT_TRUE(windows_of_runs(runs, {kWide.ny, 4001}, 2).empty());
  EXPECT_TRUE(windows_of_runs({}, kWide, 4).empty());
}

TEST(RunWindows, of_given_runs_no_more_is_read_than_their_parts_of_rows) {
  Image image = random_image(kWide, 0.001, 11);
  const LabelRuns runs = rings();
  const BackgroundModel model = sloping(kWide);
  const DetectOptions options{5, 3, 1, Connectivity::eight, false};
  std::int64_t pixels = 0;
  for (const LabelRuns::Run& run : runs.runs) pixels += run.x1 - run.x0;
  for (const std::string& name : tested_backends()) {
    Backend& tested = backend(name);
    if (!tested.info().streams_sources) continue;
    const auto whole = load(tested, image);
    const IslandPixels expected = tested.island_pixels(*whole, model, *tested.islands_of(runs, options), 1);
    EXPECT_EQ(std::ssize(expected.pixel), pixels);
    for (const std::int64_t height : kHeights) {
      SCOPED_TRACE(fmt::format("{}, bands of {} rows", name, height));
      const auto source = std::make_shared<CountedSource>(image);
      const auto bands = streamed(tested, source, height);
      const auto given = tested.islands_of(runs, options);
      expect_same_pixels(tested.island_pixels(*bands, model, *given, 1), expected);
      // Islands that cross a border lie in rows that are read whole.
      EXPECT_LE(source->rows, name == kBanded ? kWide.ny / 3 : 0);
      EXPECT_GE(source->pixels + source->rows * kWide.nx, pixels);
      EXPECT_LE(source->pixels, 2 * pixels);
    }
  }
}

TEST(RunWindows, rows_that_are_made_or_mostly_wanted_are_walked_over) {
  const Image image = random_image(kWide, 0.001, 12);
  const LabelRuns some = rings();
  LabelRuns most{kWide, {}};
  for (std::int32_t y = 300; y < 500; ++y) most.runs.push_back({y, y, 7500 - y, 1});
  const BackgroundModel model = sloping(kWide);
  const DetectOptions options{5, 3, 1, Connectivity::eight, false};
  for (const std::string& name : tested_backends()) {
    Backend& tested = backend(name);
    if (!tested.info().streams_sources) continue;
    SCOPED_TRACE(name);
    const auto whole = load(tested, image);
    const auto source = std::make_shared<CountedSource>(image);
    const auto bands = streamed(tested, source, 64);
    const auto given = tested.islands_of(most, options);
    expect_same_pixels(tested.island_pixels(*bands, model, *given, 1), tested.island_pixels(*whole, model, *given, 1));
    EXPECT_GT(source->rows, 0);
    EXPECT_EQ(source->pixels, 0);
    const auto made = tested.derive(SnrPlane{*bands, model}), made_whole = tested.derive(SnrPlane{*whole, model});
    const auto ring = tested.islands_of(some, options);
    expect_same_pixels(tested.island_pixels(*made, model, *ring, 1),
                       tested.island_pixels(*made_whole, model, *ring, 1));
  }
}

}  // namespace
}  // namespace reber::testing
