// SPDX-License-Identifier: BSD-3-Clause
// One fraction of many stages, and lines that fit a page.
#include "core/base/whole_progress.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "app/terminal/folded.hpp"

namespace reber {
namespace {

TEST(WholeProgress, never_goes_back) {
  WholeProgress whole;
  const std::vector<std::pair<const char*, double>> told{
      {"read", 0},  {"read", 1},    {"background", 0.5}, {"read", 0.2}, {"background", 1}, {"label", 1},  {"fit", 1},
      {"fit", 0.1}, {"fits", 0.73}, {"fit", 0.02},       {"fits", 1},   {"writing", 0},    {"writing", 1}};
  double before = 0;
  for (const auto& [stage, fraction] : told) {
    const double now = whole.report(stage, fraction);
    EXPECT_GE(now, before) << stage;
    before = now;
  }
  EXPECT_DOUBLE_EQ(before, 1);
}

TEST(WholeProgress, counts_the_stages_that_come) {
  WholeProgress whole;
  whole.expect({"read", "convolve"});
  EXPECT_LT(whole.report("read", 1), 0.5);
  EXPECT_DOUBLE_EQ(whole.report("convolve", 1), 1);
}

TEST(WholeProgress, has_a_share_for_each_part) {
  WholeProgress whole;
  whole.begin_part(1, 4);
  EXPECT_DOUBLE_EQ(whole.report("read", 0), 0.25);
  whole.begin_part(3, 4);
  EXPECT_DOUBLE_EQ(whole.report("writing", 1), 1);
}

TEST(WholeProgress, follows_a_stage_that_it_does_not_know) {
  WholeProgress whole;
  EXPECT_DOUBLE_EQ(whole.report("inject and find", 0.25), 0.25);
  EXPECT_DOUBLE_EQ(whole.report("writing", 1), 0.25) << "of one round";
  EXPECT_DOUBLE_EQ(whole.report("inject and find", 0.5), 0.5);
}

using app::folded;

TEST(Folded, lines_stand_under_their_last_field) {
  EXPECT_EQ(folded("  fit   12   a b c d e f", 21), "  fit   12   a b c d\n             e f");
  EXPECT_EQ(folded("short\n\nlines\n", 10), "short\n\nlines\n");
  EXPECT_EQ(folded("wrote /a/very/long/path", 10), "wrote\n  /a/very/long/path");
  EXPECT_EQ(folded("\xC2\xB5\xC2\xB5\xC2\xB5\xC2\xB5", 4), "\xC2\xB5\xC2\xB5\xC2\xB5\xC2\xB5")
      << "characters, not bytes";
}

}  // namespace
}  // namespace reber
