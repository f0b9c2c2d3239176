// SPDX-License-Identifier: BSD-3-Clause
// How a layer is first shown: limits, their rule, the values beside the colours.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "gui/model/first_limits.hpp"
#include "gui/model/image/colour_bar.hpp"
#include "gui/model/image/colour_maps.hpp"
#include "gui/model/state.hpp"

namespace reber::gui {
namespace {

std::vector<float> ramp(float low, float high, int count) {
  std::vector<float> values;
  for (int i = 0; i < count; ++i)
    values.push_back(low + (high - low) * static_cast<float>(i) / static_cast<float>(count - 1));
  return values;
}

TEST(FirstLimits, smooth_maps_show_their_range_and_name_the_rule) {
  const auto sample = ramp(-2, 6, 1001);
  for (const LayerKind kind : {LayerKind::background, LayerKind::rms}) {
    RenderSettings render;
    set_first_limits(render, kind, sample);
    EXPECT_EQ(render.low, -2);
    EXPECT_EQ(render.high, 6);
    EXPECT_EQ(render.limits, "min-max");
    EXPECT_TRUE(limits_rule(render.limits)) << "the menu has no such rule";
  }
}

TEST(CompareUnits, a_difference_has_a_unit_where_both_images_have_it) {
  ViewerState state;
  for (const char* unit : {"Jy/beam", "mJy/beam", "JY/BEAM", "counts"}) {
    auto header = std::make_shared<ImageHeader>();
    header->unit = Unit::parse(unit);
    auto document = std::make_unique<Document>();
    document->id = static_cast<std::int64_t>(state.documents.size());
    document->header = header;
    state.documents.push_back(std::move(document));
  }
  state.active = 0;
  const auto with = [&](std::int64_t document, LayerKind layer) {
    state.compare.other_document = document;
    state.compare.other_layer = layer;
    return state.compares_one_unit();
  };
  EXPECT_TRUE(with(-1, LayerKind::background));
  EXPECT_FALSE(with(-1, LayerKind::snr));
  EXPECT_FALSE(with(1, LayerKind::input)) << "a thousandth of the other's";
  EXPECT_TRUE(with(2, LayerKind::input)) << "one unit in two spellings";
  EXPECT_FALSE(with(3, LayerKind::input));
  state.active = 3;
  EXPECT_TRUE(with(-1, LayerKind::input));
}

TEST(FirstLimits, residuals_are_even_about_their_middle) {
  RenderSettings render;
  const auto sample = ramp(-2, 6, 1001);
  set_first_limits(render, LayerKind::residual, sample);
  // The median is 2, and half of the values lie within 2 of it.
  EXPECT_NEAR(render.low, 2 - 5 * 1.4826 * 2, 0.1);
  EXPECT_NEAR(render.high, 2 + 5 * 1.4826 * 2, 0.1);
  EXPECT_EQ(render.limits, "-5 ... +5 sigma");
  EXPECT_TRUE(limits_rule(render.limits)) << "the menu has no such rule";
  RenderSettings input;
  set_first_limits(input, LayerKind::input, sample);
  EXPECT_EQ(std::pair(input.low, input.high), robust_limits(sample));
  EXPECT_EQ(limits_rule(input.limits), limits_rules().front());
}

TEST(FirstLimits, a_model_shows_more_than_its_faintest_wings) {
  // Most pixels lie beside sources, where a model is next to nothing.
  std::vector<float> sample(9000, 0.0f);
  for (int i = 0; i < 1000; ++i) sample.push_back(1e-9f * static_cast<float>(i));
  for (int i = 0; i < 500; ++i) sample.push_back(0.02f * static_cast<float>(i));
  RenderSettings render;
  set_first_limits(render, LayerKind::model, sample);
  EXPECT_GT(render.high, 9);
  EXPECT_LE(render.high, 10);
  EXPECT_TRUE(limits_rule(render.limits)) << "the menu has no such rule";
  // One source on a large image.
  std::vector<float> sparse(100000, 0.0f);
  sparse.push_back(3);
  set_first_limits(render, LayerKind::model, sparse);
  EXPECT_EQ(render.high, 3);
  EXPECT_EQ(render.limits, "min-max");
}

TEST(FirstLimits, those_of_a_difference_are_even) {
  std::vector<float> sample = ramp(-1, 3, 1001);
  const auto [low, high] = even_limits(sample, 0);
  EXPECT_EQ(low, -high);
  EXPECT_NEAR(high, 5 * 1.4826 * 1, 0.02);
  EXPECT_EQ(even_limits({1, 1, 1, 1, 2}, 1), std::pair(0.0, 2.0));
  EXPECT_EQ(even_limits({}, 0), std::pair(-1.0, 1.0));
}

TEST(FirstLimits, without_values_nothing_is_set) {
  RenderSettings render;
  render.low = 3;
  set_first_limits(render, LayerKind::background, {});
  EXPECT_EQ(render.low, 3);
}

TEST(ColourBar, tells_the_values_of_its_places) {
  RenderSettings render;
  render.low = 0;
  render.high = 0.004;
  render.stretch = Stretch::linear;
  const ColourBar bar = colour_bar(render, Unit::parse("Jy/beam"));
  EXPECT_EQ(bar.unit, "mJy/beam");
  ASSERT_EQ(bar.ticks.size(), 5u);
  EXPECT_EQ(bar.ticks.front(), (std::pair<double, std::string>(0, "0")));
  EXPECT_EQ(bar.ticks[2].first, 0.5);
  EXPECT_EQ(std::stod(bar.ticks[2].second), 2);
  EXPECT_EQ(std::stod(bar.ticks.back().second), 4);
  render.stretch = Stretch::sqrt;  // half of the bar is a quarter of the range
  EXPECT_EQ(std::stod(colour_bar(render, Unit::parse("Jy/beam")).ticks[2].second), 1);
  render.stretch = Stretch::histogram;
  EXPECT_EQ(colour_bar(render, Unit::parse("Jy/beam")).ticks.size(), 2u);
}

TEST(ColourBar, tells_a_small_range_on_a_large_value) {
  RenderSettings render;
  render.low = 1e6 - 0.15;
  render.high = 1e6 + 1.5;
  const ColourBar bar = colour_bar(render, Unit::parse("Jy/beam"));
  ASSERT_EQ(bar.ticks.size(), 5u);
  EXPECT_NEAR(std::stod(bar.ticks.front().second), render.low, 0.011);
  EXPECT_NEAR(std::stod(bar.ticks.back().second), render.high, 0.011);
  for (std::size_t i = 1; i < bar.ticks.size(); ++i) EXPECT_NE(bar.ticks[i - 1].second, bar.ticks[i].second);
  EXPECT_EQ(digits_within(5, 10, 4), 4);
  EXPECT_EQ(digits_within(5, 0, 4), 4);
  EXPECT_EQ(digits_within(std::numeric_limits<double>::quiet_NaN(), 1, 4), 4);
  EXPECT_EQ(digits_within(1e30, 1, 4), 9);
  EXPECT_EQ(digits_within(std::numeric_limits<double>::infinity(), 1, 4), 9);
}

TEST(ColourBar, names_what_is_counted_in_noise) {
  Document document;
  ImageHeader header;
  header.unit = Unit::parse("Jy/beam");
  document.header = std::make_shared<const ImageHeader>(header);
  EXPECT_EQ(shown_unit(document, LayerKind::input).name(), "Jy/beam");
  EXPECT_EQ(shown_unit(document, LayerKind::residual).name(), "Jy/beam");
  EXPECT_EQ(shown_unit(document, LayerKind::snr).name(), "sigma");
  EXPECT_EQ(shown_unit(document, LayerKind::islands).name(), "");
  document.in_memory = true;  // a proof's difference
  EXPECT_EQ(shown_unit(document, LayerKind::residual).name(), "sigma");
}

TEST(ColourMaps, lines_are_dark_where_islands_begin_bright) {
  RenderSettings render;
  render.colour_map = "inferno";
  EXPECT_FALSE(bright_at_noise_edge(render));
  render.colour_map = "grey";
  ASSERT_EQ(colour_maps()[static_cast<std::size_t>(colour_map_index("grey"))].name, "grey");
  EXPECT_TRUE(bright_at_noise_edge(render));
  render.invert = true;
  EXPECT_FALSE(bright_at_noise_edge(render));
}

}  // namespace
}  // namespace reber::gui
