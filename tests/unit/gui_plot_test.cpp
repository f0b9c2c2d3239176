// SPDX-License-Identifier: BSD-3-Clause
// Axes, histograms, completeness and undo of the viewer.
#include <gtest/gtest.h>

#include <cmath>

#include "gui/model/tables/plot_axis.hpp"
#include "gui/model/undo.hpp"

namespace reber::gui {
namespace {

std::vector<std::string> labels(const PlotAxis& axis, int wanted) {
  std::vector<std::string> texts;
  for (const AxisTick& tick : axis.ticks(wanted))
    if (!tick.label.empty()) texts.push_back(tick.label);
  return texts;
}

TEST(GuiAxis, TicksStandAtOneTwoOrFive) {
  EXPECT_EQ(labels({"", 0, 10, false}, 6), (std::vector<std::string>{"0", "2", "4", "6", "8", "10"}));
  EXPECT_EQ(labels({"", -0.3, 0.31, false}, 7),
            (std::vector<std::string>{"-0.3", "-0.2", "-0.1", "0", "0.1", "0.2", "0.3"}));
  EXPECT_EQ(labels({"", 0.0101, 0.0149, false}, 5), (std::vector<std::string>{"0.011", "0.012", "0.013", "0.014"}));
  EXPECT_EQ(labels({"", 2e6, 3e6, false}, 3), (std::vector<std::string>{"2.0e+06", "2.5e+06", "3.0e+06"}));
}

TEST(GuiAxis, LogarithmicTicksStandAtPowersOfTen) {
  EXPECT_EQ(labels({"", 0.02, 3000, true}, 8), (std::vector<std::string>{"0.1", "1", "10", "100", "1000"}));
  EXPECT_EQ(labels({"", 1e-8, 1, true}, 4), (std::vector<std::string>{"1e-8", "1e-6", "1e-4", "0.01", "1"}));
  EXPECT_EQ(labels({"", 2, 9, true}, 5), (std::vector<std::string>{"2", "4", "6", "8"}));
  EXPECT_EQ(labels({"", 0.5, 21, true}, 4), (std::vector<std::string>{"0.5", "1", "2", "5", "10", "20"}));
  EXPECT_EQ(labels({"", 3e-6, 4e-5, true}, 3), (std::vector<std::string>{"5e-6", "1e-5", "2e-5"}));
  EXPECT_EQ(labels({"", 0.5, 21, true}, 2), (std::vector<std::string>{"1", "10"}));
  const PlotAxis wide{"", 1, 1e300, true};
  EXPECT_LE(labels(wide, 6).size(), 7U);
}

TEST(GuiAxis, PlacesAndValuesAreInverse) {
  for (const bool logarithmic : {false, true}) {
    const PlotAxis axis{"", 0.5, 400, logarithmic};
    for (const double place : {-0.5, 0.0, 0.3, 1.0, 1.7})
      EXPECT_NEAR(axis.place(axis.value_at(place)), place, 1e-12) << logarithmic;
  }
  EXPECT_TRUE(std::isnan(PlotAxis({"", 1, 10, true}).place(-1)));
}

TEST(GuiAxis, ZoomKeepsTheValueUnderTheMouse) {
  for (const bool logarithmic : {false, true}) {
    PlotAxis axis{"", 1, 100, logarithmic};
    const double before = axis.value_at(0.25);
    axis.zoom(2, 0.25);
    EXPECT_NEAR(axis.value_at(0.25), before, 1e-12 * before);
    for (int i = 0; i < 10000; ++i) axis.zoom(1.2, 0.5);
    EXPECT_LT(axis.low, axis.high);
    for (int i = 0; i < 10000; ++i) axis.zoom(0.8, 0.5);
    EXPECT_TRUE(std::isfinite(axis.low) && std::isfinite(axis.high));
    EXPECT_LT(axis.low, axis.high);
  }
}

TEST(GuiAxis, FitsTheValuesItCanShow) {
  PlotAxis axis;
  axis.fit({NAN, 3, 13, INFINITY});
  EXPECT_DOUBLE_EQ(axis.low, 2.5);
  EXPECT_DOUBLE_EQ(axis.high, 13.5);
  axis.logarithmic = true;
  axis.fit({-4, 0, 1, 100});
  EXPECT_GT(axis.low, 0.5);
  EXPECT_LT(axis.low, 1);
  axis.fit({-4, NAN});
  EXPECT_LT(axis.low, axis.high);
}

TEST(GuiHistogram, EveryValueIsInOneBarOrOutside) {
  std::vector<double> values{NAN, -1, 0};
  for (int i = 1; i <= 1000; ++i) values.push_back(i * 0.01);
  for (const bool logarithmic : {false, true}) {
    const BarCounts histogram = make_histogram(values, {}, logarithmic);
    double total = 0;
    for (const double count : histogram.counts) total += count;
    EXPECT_EQ(total, logarithmic ? 1000 : 1002);
    EXPECT_EQ(histogram.outside, logarithmic ? 3 : 1);
  }
  const BarCounts edges = count_into({0, 1, 2}, {0, 0.5, 1, 2, 2.5}, {1, 1, 1, 1, 0});
  EXPECT_EQ(edges.counts, (std::vector<double>{2, 2}));
  EXPECT_TRUE(make_histogram({}, {}, true).counts.empty());
  const BarCounts single = make_histogram({7, 7, 7}, {}, false);
  double total = 0;
  for (const double count : single.counts) total += count;
  EXPECT_EQ(total, 3);
}

TEST(GuiCompleteness, IsThePartFoundWithWilsonsInterval) {
  std::vector<double> flux;
  std::vector<std::uint8_t> found;
  for (int i = 0; i < 100; ++i) {
    flux.push_back(i < 50 ? 1 : 100);
    found.push_back(i < 50 ? i < 20 : 1);
  }
  const Completeness result = make_completeness(flux, found, 2);
  ASSERT_EQ(result.fraction.size(), 2U);
  EXPECT_DOUBLE_EQ(result.fraction[0], 0.4);
  EXPECT_DOUBLE_EQ(result.fraction[1], 1.0);
  // (p + z^2/2n +- z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n) with z = 1, n = 50, p = 0.4
  EXPECT_NEAR(result.low[0], (0.4 + 0.01 - std::sqrt(0.0048 + 0.0001)) / 1.02, 1e-12);
  EXPECT_NEAR(result.high[0], (0.4 + 0.01 + std::sqrt(0.0048 + 0.0001)) / 1.02, 1e-12);
  EXPECT_NEAR(result.high[1], 1.0, 1e-12);
}

TEST(GuiPlot, ABoxTakesTheAcceptedRowsWithinIt) {
  const std::vector<double> x{1, 2, 3, NAN}, y{1, 2, 3, 2};
  EXPECT_EQ(rows_in_box(x, y, {1, 1, 1, 1}, 2.5, 2.5, 0.5, 0.5), (std::vector<std::uint8_t>{1, 1, 0, 0}));
  EXPECT_EQ(rows_in_box(x, y, {0, 1, 1, 1}, 0, 0, 9, 9), (std::vector<std::uint8_t>{0, 1, 1, 0}));
}

TEST(GuiUndo, TakesBackAndDoesAgain) {
  UndoHistory<int> history(0);
  EXPECT_FALSE(history.can_undo());
  EXPECT_TRUE(history.record(1, "seed", 0));
  EXPECT_TRUE(history.record(2, "kernel", 0.1));
  EXPECT_FALSE(history.record(2, "kernel", 0.1));
  EXPECT_EQ(history.undo_name(), "kernel");
  EXPECT_EQ(history.undo(), 1);
  EXPECT_EQ(history.redo_name(), "kernel");
  EXPECT_EQ(history.undo(), 0);
  EXPECT_EQ(history.undo(), 0);
  EXPECT_EQ(history.redo(), 1);
  history.record(5, "box", 9);
  EXPECT_FALSE(history.can_redo());
  EXPECT_EQ(history.undo(), 1);
}

TEST(GuiUndo, OneGestureIsOneStep) {
  UndoHistory<int> history(0);
  for (int i = 1; i <= 50; ++i) history.record(i, "seed", i * 0.05);
  EXPECT_EQ(history.undo(), 0);
  EXPECT_EQ(history.redo(), 50);
  history.record(51, "seed", 3.0);
  EXPECT_EQ(history.undo(), 50) << "a step that was gone back to is closed";
  history.redo();
  history.record(60, "seed", 10);
  EXPECT_EQ(history.undo(), 51) << "a second has passed";
  history.redo();
  history.undo();
  history.record(51, "nothing changed", 11);
  EXPECT_TRUE(history.can_redo());
}

TEST(GuiUndo, KeepsTheLatestStepsAlone) {
  UndoHistory<int> history(0, 3);
  for (int i = 1; i <= 10; ++i) history.record(i, std::to_string(i), i * 10);
  int steps = 0;
  while (history.can_undo()) {
    history.undo();
    ++steps;
  }
  EXPECT_EQ(steps, 3);
  EXPECT_EQ(history.now(), 7);
}

}  // namespace
}  // namespace reber::gui
