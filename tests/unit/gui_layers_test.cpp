// SPDX-License-Identifier: BSD-3-Clause
// How a layer is first shown: limits, their rule, the values beside the colours.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "gui/model/first_limits.hpp"
#include "gui/model/image/colour_bar.hpp"
#include "gui/model/image/colour_maps.hpp"
#include "gui/model/image/readout.hpp"
#include "gui/model/state.hpp"
#include "tests/support/stretched.hpp"
#include "tests/support/testing.hpp"

namespace reber::gui {
namespace {

std::vector<float> ramp(float low, float high, int count) {
  std::vector<float> values;
  for (int i = 0; i < count; ++i)
    values.push_back(low + (high - low) * static_cast<float>(i) / static_cast<float>(count - 1));
  return values;
}

TEST(GuiLayers, AreThoseOfTheTableOfProducts) {
  for (int index = 1; index < kLayerKinds; ++index) {
    const Product* product = product_of(static_cast<LayerKind>(index));
    ASSERT_NE(product, nullptr);
    EXPECT_TRUE(product->make != nullptr || product->kind == Product::Kind::labels) << product->word;
    EXPECT_EQ(layer_named(std::string(product->layer)), static_cast<LayerKind>(index));
  }
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

/// Noise of 1 in the middle of zeros, `margin` broad.
Image padded_noise(std::int64_t side, std::int64_t margin) {
  Image image({side, side});
  std::mt19937 random(5);
  std::normal_distribution<float> noise;
  for (std::int64_t i = 0; i < side * side; ++i) image.data()[i] = noise(random);
  for (std::int64_t y = 0; y < side; ++y)
    for (std::int64_t x = 0; x < side; ++x)
      if (std::min({x, y, side - 1 - x, side - 1 - y}) < margin) image.at(y, x) = 0;
  return image;
}

std::shared_ptr<const Pyramid> pyramid_of(Image image) {
  return Pyramid::make(std::make_shared<const Image>(std::move(image)), {});
}

TEST(FirstLimits, padding_of_zeros_counts_as_blank) {
  for (const std::int64_t margin : {20, 80, 110}) {
    const auto pyramid = pyramid_of(padded_noise(256, margin));
    EXPECT_TRUE(has_padding(*pyramid)) << margin;
    const auto [low, high] = robust_limits(sorted_sample(*pyramid));
    EXPECT_NEAR(low, -1.5, 0.25) << margin;
    EXPECT_NEAR(high, 15, 2) << margin;
  }
  EXPECT_FALSE(has_padding(*pyramid_of(padded_noise(256, 0))));
}

TEST(FirstLimits, zeros_of_a_model_stay) {
  Image model({200, 200});
  std::fill_n(model.data(), 200 * 200, 0.0F);
  for (std::int64_t y = 90; y < 110; ++y)
    for (std::int64_t x = 90; x < 110; ++x) model.at(y, x) = 1;
  const auto sample = sorted_sample(*pyramid_of(std::move(model)));
  EXPECT_EQ(sample.front(), 0);
  EXPECT_EQ(sample.back(), 1);
}

TEST(FirstLimits, runs_of_sixteen_zeros_are_padding) {
  std::vector<float> row(40, 1.0F);
  std::fill_n(row.begin(), 15, 0.0F);
  EXPECT_FALSE(blank_runs_of_zeros(row));
  EXPECT_EQ(row[0], 0);
  std::fill_n(row.begin() + 24, 16, 0.0F);
  EXPECT_TRUE(blank_runs_of_zeros(row));
  EXPECT_TRUE(std::isnan(row[24]) && std::isnan(row[39]));
  EXPECT_EQ(row[14], 0);
}

TEST(FirstLimits, a_tiny_image_is_shown_by_its_range) {
  RenderSettings render;
  const std::vector<float> sample{1, 2, 3, 4, 5, 9};
  set_first_limits(render, LayerKind::input, sample);
  EXPECT_EQ(render.low, 1);
  EXPECT_EQ(render.high, 9);
  EXPECT_EQ(render.limits, "min-max");
}

TEST(FirstLimits, noise_lies_at_a_fifth_of_the_colours) {
  RenderSettings render;
  set_first_limits(render, LayerKind::input, sorted_sample(*pyramid_of(padded_noise(512, 0))));
  const auto colour = [&](double v) {
    return testing::stretched({render.stretch, render.softness, render.power},
                              (v - render.low) / (render.high - render.low));
  };
  EXPECT_NEAR(colour(0), 0.2, 0.03);
  EXPECT_GT(colour(5), 0.6);
}

TEST(FirstLimits, bright_sources_keep_their_shape_above_dark_noise) {
  // A source over a hundredth of the image, up to 200 sigma: half of its pixels are not at the upper end.
  Image image = padded_noise(400, 0);
  for (std::int64_t y = 180; y < 220; ++y)
    for (std::int64_t x = 180; x < 220; ++x)
      image.at(y, x) += 200 * std::exp(-0.5F * static_cast<float>((y - 200) * (y - 200) + (x - 200) * (x - 200)) / 100);
  RenderSettings render;
  const auto sample = sorted_sample(*pyramid_of(std::move(image)));
  set_first_limits(render, LayerKind::input, sample);
  EXPECT_GT(render.high, 100);
  EXPECT_LE(render.high, 205);
  EXPECT_TRUE(limits_rule(render.limits));
  const auto colour = [&](double v) {
    return testing::stretched({render.stretch, render.softness, render.power},
                              (v - render.low) / (render.high - render.low));
  };
  EXPECT_LT(colour(0), 0.15);
  EXPECT_GT(colour(5), 0.12);
  EXPECT_GT(colour(20), 0.3);
  // A model's picture, whose scatter is that of rounding.
  std::vector<float> ring;
  for (int i = 0; i < 5000; ++i) ring.push_back(1e-24F * static_cast<float>(i % 7));
  for (int i = 0; i < 500; ++i) ring.push_back(0.01F * static_cast<float>(i));
  std::ranges::sort(ring);
  set_first_limits(render, LayerKind::input, ring);
  EXPECT_GT(render.high, 4.9);
  EXPECT_EQ(render.softness, 10);
}

TEST(FirstLimits, a_colour_of_three_begins_above_the_noise) {
  RenderSettings render;
  render.low = -1.5;
  render.high = 15;
  render.limits = "-1.5 ... +15 sigma";
  EXPECT_NEAR(channel_low(render, 1), 1.5, 1e-12);
  render.limits = name_of(limits_rules().front());
  render.high = 400;
  EXPECT_NEAR(channel_low(render, 1), 1.5, 1e-12);
  render.high = 15;
  render.limits = "-5 ... +5 sigma";
  render.low = -5;
  render.high = 5;
  EXPECT_NEAR(channel_low(render, 1), 1.5, 1e-12);
  render.limits = "min-max";
  EXPECT_EQ(channel_low(render, 1), -5);
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
  ASSERT_EQ(bar.ticks.size(), 9u);
  EXPECT_EQ(bar.ticks.front(), (std::pair<double, std::string>(0, "0")));
  EXPECT_EQ(bar.ticks[4], (std::pair<double, std::string>(0.5, "2.0")));
  EXPECT_EQ(bar.ticks.back().second, "4.0");
  render.stretch = Stretch::histogram;
  EXPECT_EQ(colour_bar(render, Unit::parse("Jy/beam")).ticks.size(), 2u);
}

TEST(ColourBar, has_round_values_apart_from_each_other) {
  RenderSettings render;
  const double below = -0.0001, above = 0.00305;
  for (const Stretch stretch : {Stretch::linear, Stretch::log, Stretch::sqrt, Stretch::square, Stretch::asinh}) {
    render.low = below;
    render.high = above;
    render.stretch = stretch;
    render.softness = 6;
    const ColourBar bar = colour_bar(render, Unit::parse("Jy/beam"), 0.08);
    EXPECT_GE(bar.ticks.size(), 4u) << kStretchNames[static_cast<std::size_t>(stretch)];
    for (std::size_t i = 0; i < bar.ticks.size(); ++i) {
      const double value = std::stod(bar.ticks[i].second);
      EXPECT_NEAR(colour_value(bar.ticks[i].first, render) * 1e3, value, 1e-5);
      const double digits =
          value == 0 ? 0 : std::abs(value) / std::pow(10.0, std::floor(std::log10(std::abs(value)) + 1e-9));
      EXPECT_NEAR(digits, std::round(2 * digits) / 2, 1e-6) << bar.ticks[i].second;
      const double before = i > 0 ? bar.ticks[i - 1].first : -1;
      EXPECT_GE(bar.ticks[i].first - before, 0.0799);
    }
  }
  render.stretch = Stretch::asinh;
  std::vector<std::string> texts;
  for (const auto& [part, text] : colour_bar(render, Unit::parse("Jy/beam"), 0.08).ticks) texts.push_back(text);
  EXPECT_EQ(texts, (std::vector<std::string>{"0", "0.2", "0.5", "1", "2", "3"}));
  render.contrast = 4;  // the colours stand for a part of the range
  for (const auto& [part, text] : colour_bar(render, Unit::parse("Jy/beam")).ticks) {
    EXPECT_GE(part, 0);
    EXPECT_LE(part, 1);
    EXPECT_NEAR(colour_value(part, render) * 1e3, std::stod(text), 1e-5);
  }
}

TEST(ColourBar, tells_a_small_range_on_a_large_value) {
  RenderSettings render;
  render.low = 1e6 - 0.15;
  render.high = 1e6 + 1.5;
  const ColourBar bar = colour_bar(render, Unit::parse("Jy/beam"));
  ASSERT_GE(bar.ticks.size(), 4u);
  for (std::size_t i = 1; i < bar.ticks.size(); ++i) EXPECT_NE(bar.ticks[i - 1].second, bar.ticks[i].second);
  EXPECT_EQ(digits_within(5, 10, 4), 4);
  EXPECT_EQ(digits_within(5, 0, 4), 4);
  EXPECT_EQ(digits_within(std::numeric_limits<double>::quiet_NaN(), 1, 4), 4);
  EXPECT_EQ(digits_within(1e30, 1, 4), 9);
  EXPECT_EQ(digits_within(std::numeric_limits<double>::infinity(), 1, 4), 9);
}

TEST(Readout, digits_follow_the_noise) {
  const Unit kelvin = Unit::parse("K");
  EXPECT_EQ(value_text(2.72501234, kelvin), "2.72501 K");
  EXPECT_EQ(value_text(2.72501234, kelvin, 0, 1e-4), "2.7250123 K");
  EXPECT_EQ(value_text(2.72501234, kelvin, 0, 1), "2.72501 K");
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

TEST(ColourBar, follows_the_unit_that_values_are_told_in) {
  Document document;
  ImageHeader header;
  header.unit = Unit::parse("Jy/beam");
  header.beam = Beam{12.5 / 3600, 7.25 / 3600, 30};
  document.header = std::make_shared<const ImageHeader>(header);
  document.told_in = "MJy/sr";
  const Unit told = shown_unit(document, LayerKind::input);
  EXPECT_EQ(why_not_told_in(document, LayerKind::input, "MJy/sr"), "");
  EXPECT_EQ(value_text(2.5e-3, told), "1.0358 MJy/sr");
  EXPECT_EQ(value_text(2.5e-9, told), "1.0358e-06 MJy/sr") << "the prefix stays";
  RenderSettings render;
  render.low = 0;
  render.high = 2.5e-3;
  EXPECT_EQ(colour_bar(render, told).unit, "MJy/sr");
  const LayerValues layer{told, header.beam};
  EXPECT_EQ(make_readout(header, {0, 0}, true, 2.5e-3f, std::nullopt, {}, &layer).value, "1.0358 MJy/sr");
  EXPECT_EQ(shown_unit(document, LayerKind::snr).name(), "sigma");
  // Without a frequency there is no temperature: the values stay in the image's unit.
  document.told_in = "K";
  EXPECT_NE(why_not_told_in(document, LayerKind::input, "K"), "");
  EXPECT_EQ(shown_unit(document, LayerKind::input).name(), "Jy/beam");
  // A convolved layer has the beam of the run.
  document.told_in = "MJy/sr";
  auto result = std::make_shared<LiveResult>();
  result->beam = Beam{25.0 / 3600, 14.5 / 3600, 30};
  document.result = result;
  EXPECT_NEAR(shown_unit(document, LayerKind::convolved).factor / told.factor, 0.25, 1e-12);
  EXPECT_EQ(shown_unit(document, LayerKind::input).factor, told.factor);
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
