// SPDX-License-Identifier: BSD-3-Clause
// What the viewer draws from, without a window: reduced levels, views, limits, selections, jobs.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <thread>

#include "core/files/image/image_file.hpp"
#include "core/run/live/display_tiles.hpp"
#include "core/show/display/display_levels.hpp"
#include "gui/model/first_limits.hpp"
#include "gui/model/folder_listing.hpp"
#include "gui/model/image/pyramid.hpp"
#include "gui/model/job_slot.hpp"
#include "gui/model/sky/view_transform.hpp"
#include "gui/model/state.hpp"
#include "gui/model/state_json.hpp"
#include "tests/support/testing.hpp"

namespace reber::gui {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

std::shared_ptr<const Pyramid> pyramid_of(Image image) {
  return Pyramid::make(std::make_shared<const Image>(std::move(image)), {});
}

std::vector<float> level_of(const Pyramid& pyramid, int level, Reduction reduction) {
  const Shape shape = pyramid.level_shape(level);
  std::vector<float> pixels(static_cast<std::size_t>(shape.count()));
  pyramid.read(level, reduction, {0, 0, shape.ny, shape.nx}, pixels.data());
  return pixels;
}

/// The definition, pixel by pixel: peak of all finite pixels of a block, NaN where there is none.
std::vector<float> peaks_of(const Image& image, int level) {
  const std::int64_t step = std::int64_t{1} << level;
  const Shape shape = image.shape();
  std::vector<float> peaks;
  for (std::int64_t y = 0; y < shape.ny; y += step)
    for (std::int64_t x = 0; x < shape.nx; x += step) {
      float best = kNaN;
      for (std::int64_t j = y; j < std::min(shape.ny, y + step); ++j)
        for (std::int64_t i = x; i < std::min(shape.nx, x + step); ++i)
          if (const float v = image.at(j, i); std::isfinite(v) && !(best >= v)) best = v;
      peaks.push_back(best);
    }
  return peaks;
}

TEST(Pyramid, keeps_every_peak_and_the_area_of_blanks_at_every_level) {
  Image image = testing::random_image({203, 157}, 0.3, 5);
  for (std::int64_t y = 40; y < 104; ++y)
    for (std::int64_t x = 17; x < 90; ++x) image.at(y, x) = kNaN;
  const Image copy = image.clone();
  const auto pyramid = pyramid_of(std::move(image));
  EXPECT_EQ(pyramid->level_shape(pyramid->levels() - 1), (Shape{1, 1}));
  for (int level = 0; level < pyramid->levels(); ++level) {
    const auto got = level_of(*pyramid, level, Reduction::peak), expected = peaks_of(copy, level);
    const auto mean = level_of(*pyramid, level, Reduction::mean);
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_TRUE(got[i] == expected[i] || (std::isnan(got[i]) && std::isnan(expected[i]))) << level << " " << i;
      EXPECT_EQ(std::isnan(mean[i]), std::isnan(got[i])) << level << " " << i;
    }
  }
}

TEST(Pyramid, blends_keep_the_area_of_blanks_and_lie_between_mean_and_peak) {
  Image image = testing::random_image({203, 157}, 0.3, 5);
  for (std::int64_t y = 40; y < 104; ++y)
    for (std::int64_t x = 17; x < 90; ++x) image.at(y, x) = kNaN;
  const auto pyramid = pyramid_of(std::move(image));
  for (int level = 1; level < pyramid->levels(); ++level) {
    const auto mean = level_of(*pyramid, level, Reduction::mean), peak = level_of(*pyramid, level, Reduction::peak);
    const auto blend = level_of(*pyramid, level, Reduction::blend);
    for (std::size_t i = 0; i < blend.size(); ++i) {
      ASSERT_EQ(std::isnan(blend[i]), std::isnan(mean[i])) << level << " " << i;
      if (std::isnan(mean[i])) continue;
      EXPECT_GE(blend[i], mean[i]) << level << " " << i;
      EXPECT_LE(blend[i], peak[i]) << level << " " << i;
    }
  }
}

/// White noise of 1, by the sum of twelve numbers between -0.5 and 0.5, rising to the right.
Image noise(Shape shape, double rise) {
  Image image(shape);
  std::uint64_t state = 88172645463325252u;
  for (std::int64_t y = 0; y < shape.ny; ++y)
    for (std::int64_t x = 0; x < shape.nx; ++x) {
      double sum = 0;
      for (int i = 0; i < 4; ++i) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        for (int part = 0; part < 3; ++part)
          sum += static_cast<double>((state >> (21 * part)) & 0x1fffff) / 0x1fffff - 0.5;
      }
      const double sigma = 1 + rise * static_cast<double>(x) / static_cast<double>(shape.nx);
      image.at(y, x) = static_cast<float>(sigma * sum);
    }
  return image;
}

TEST(Pyramid, a_pixel_of_five_sigma_is_itself_in_the_blend_and_the_noise_is_its_mean) {
  constexpr int kLevel = 5;  // of 16384 pixels in a window of 512
  constexpr std::int64_t kSide = 2048, kStep = std::int64_t{1} << kLevel;
  for (const double rise : {0.0, 1.0}) {
    Image image = noise({kSide, kSide}, rise);
    std::vector<std::pair<std::int64_t, float>> sources;  // entry of the level, value
    for (std::int64_t at = 100; at < kSide; at += 310) {
      const std::int64_t x = at, y = kSide - at;
      const auto value = static_cast<float>(5 * (1 + rise * static_cast<double>(x) / kSide));
      image.at(y, x) = value;
      sources.emplace_back(y / kStep * (kSide / kStep) + x / kStep, value);
    }
    const auto pyramid = pyramid_of(std::move(image));
    const auto blend = level_of(*pyramid, kLevel, Reduction::blend);
    const auto peak = level_of(*pyramid, kLevel, Reduction::peak);
    for (const auto& [at, value] : sources) {
      // Where the noise has a still brighter pixel in the block, that one is shown.
      const float found = blend[static_cast<std::size_t>(at)];
      EXPECT_EQ(found, peak[static_cast<std::size_t>(at)]) << rise;
      EXPECT_GE(found, value) << rise;
    }
    // A block's mean is 1/32 of the noise; few blocks of noise alone reach up to half of the source.
    const auto high = std::ranges::count_if(blend, [&](float v) { return v > 2.5 * (1 + rise); });
    EXPECT_LT(static_cast<double>(high), 0.02 * static_cast<double>(blend.size())) << rise;
    auto sorted = blend;
    std::ranges::sort(sorted);
    EXPECT_LT(std::abs(sorted[sorted.size() / 2]), 0.1);
  }
}

TEST(Pyramid, without_noise_a_single_pixel_stays_to_the_last_level_of_the_blend) {
  Image image({300, 500});
  std::fill_n(image.data(), image.shape().count(), 0.0f);
  image.at(77, 401) = 3;
  const auto pyramid = pyramid_of(std::move(image));
  for (int level = 1; level + 1 < pyramid->levels(); ++level) {
    const auto blend = level_of(*pyramid, level, Reduction::blend);
    EXPECT_EQ(*std::ranges::max_element(blend), 3) << level;
    EXPECT_EQ(std::ranges::count(blend, 0.0f), static_cast<std::ptrdiff_t>(blend.size()) - 1) << level;
  }
}

TEST(Pyramid, of_labels_shows_at_every_level_what_one_of_their_map_does) {
  // Islands of several rows, one pixel, touching the far edges, and two that share a block of the levels.
  const LabelRuns labels{{67, 91},
                         {{0, 3, 9, 1},
                          {1, 0, 4, 1},
                          {1, 40, 41, 2},
                          {2, 41, 43, 3},
                          {5, 80, 91, 4},
                          {6, 90, 91, 4},
                          {33, 10, 60, 5},
                          {66, 0, 91, 6}}};
  Image map(labels.shape);
  std::fill_n(map.data(), labels.shape.count(), kNaN);
  for (const LabelRuns::Run& run : labels.runs)
    for (std::int32_t x = run.x0; x < run.x1; ++x) map.at(run.y, x) = static_cast<float>(run.label);
  const auto expected = pyramid_of(std::move(map));
  const auto drawn = Pyramid::of_labels(std::make_shared<const LabelRuns>(labels));
  ASSERT_EQ(drawn->levels(), expected->levels());
  const auto same = [](float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  for (int level = 0; level < drawn->levels(); ++level) {
    SCOPED_TRACE(level);
    EXPECT_TRUE(std::ranges::equal(level_of(*drawn, level, Reduction::mean),
                                   level_of(*expected, level, Reduction::peak), same));
    const Shape shape = drawn->level_shape(level);
    const Rect part{shape.ny / 3, shape.nx / 4, shape.ny - shape.ny / 3, shape.nx - shape.nx / 4};
    std::vector<float> a(static_cast<std::size_t>(part.ny * part.nx)), b(a.size());
    drawn->read(level, Reduction::peak, part, a.data());
    expected->read(level, Reduction::peak, part, b.data());
    EXPECT_TRUE(std::ranges::equal(a, b, same));
  }
  EXPECT_EQ(drawn->value(33, 59), 5);
  EXPECT_TRUE(std::isnan(drawn->value(33, 60)));
}

TEST(Pyramid, a_mean_is_that_of_the_finite_pixels) {
  Image image({2, 3});
  const std::vector<float> values{1, 2, 7, kNaN, 3, 9};
  std::copy(values.begin(), values.end(), image.data());
  const auto level = level_of(*pyramid_of(std::move(image)), 1, Reduction::mean);
  EXPECT_FLOAT_EQ(level[0], 2);
  EXPECT_FLOAT_EQ(level[1], 8);
}

TEST(Pyramid, an_image_read_from_its_source_shows_what_one_in_memory_does) {
  const Image image = testing::random_image({300, 211}, 0.05, 8);
  const std::shared_ptr<const PixelSource> source = memory_source(image.data(), image.shape());
  const auto kept = Pyramid::load(source, 1 << 30, {}), read = Pyramid::load(source, 0, {});
  EXPECT_NE(kept->pixels().pixels, nullptr);
  EXPECT_EQ(read->pixels().pixels, nullptr);
  for (const int level : {0, 1, 3}) {
    const auto a = level_of(*kept, level, Reduction::peak), b = level_of(*read, level, Reduction::peak);
    EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(float)), 0) << level;
  }
  EXPECT_EQ(read->value(100, 50), image.at(100, 50));
  EXPECT_TRUE(std::isnan(read->value(-1, 0)));
}

TEST(Pyramid, of_a_sessions_map_shows_what_one_in_memory_does) {
  Backend& cpu = testing::backend("cpu");
  const Image image = testing::random_image({300, 411}, 0.2, 8);
  const auto levels = host_display_levels(cpu, MapKind::image, *testing::load(cpu, image), nullptr, {});
  std::vector<float> sample = levels->sample();
  std::erase_if(sample, [](float v) { return !std::isfinite(v); });
  std::ranges::sort(sample);
  // A thread that answers before the call returns.
  DisplayTiles* answering = nullptr;
  const auto tiles = std::make_shared<DisplayTiles>(image.shape(), sample, [&] {
    answering->serve(*levels);
    while (answering->pixels_wanted()) answering->fetch_part(*levels);
  });
  answering = tiles.get();
  const auto drawn = Pyramid::of_tiles(tiles);
  const auto whole = pyramid_of(image.clone());
  EXPECT_EQ(drawn->levels(), whole->levels());
  EXPECT_EQ(sorted_sample(*drawn), sorted_sample(*whole));
  EXPECT_TRUE(std::isnan(drawn->value(20, 40))) << "asked for";
  EXPECT_EQ(drawn->pixels().pixels, nullptr);
  for (std::int64_t y = 0; y < 300; y += 7)
    for (std::int64_t x = 0; x < 411; x += 5) {
      (void)drawn->value(y, x);
      const float got = drawn->value(y, x), expected = whole->value(y, x);
      ASSERT_TRUE(tiles->knows(y, x));
      ASSERT_TRUE(got == expected || (std::isnan(got) && std::isnan(expected))) << y << " " << x;
    }
  const auto same = [](const std::vector<float>& a, const std::vector<float>& b) {
    return std::ranges::equal(a, b, [](float p, float q) { return p == q || (std::isnan(p) && std::isnan(q)); });
  };
  for (int level = 1; level < whole->levels(); ++level)
    for (const Reduction reduction : {Reduction::mean, Reduction::peak, Reduction::blend})
      EXPECT_TRUE(same(level_of(*drawn, level, reduction), level_of(*whole, level, reduction))) << level;
  EXPECT_EQ(drawn->pixels().pixels, nullptr) << "nobody wanted all of it yet";
  EXPECT_FALSE(drawn->at_hand()) << "asked for";
  EXPECT_TRUE(drawn->at_hand());
  EXPECT_TRUE(same(level_of(*drawn, 0, Reduction::mean), level_of(*whole, 0, Reduction::mean)));
  tiles->close();
  EXPECT_THROW((void)level_of(*drawn, 1, Reduction::mean), Cancelled);
}

TEST(Pyramid, a_first_look_has_the_size_of_the_whole) {
  const Image image = testing::random_image({1000, 700}, 0, 3);
  const auto look = Pyramid::preview(*memory_source(image.data(), image.shape()), 128);
  EXPECT_EQ(look->shape(), image.shape());
  EXPECT_EQ(look->first_level(), 3);
  EXPECT_LE(look->level_shape(look->first_level()).ny, 128);
  for (const float v : level_of(*look, look->first_level(), Reduction::peak)) EXPECT_TRUE(std::isfinite(v));
}

TEST(View, a_position_goes_to_the_screen_and_back_whatever_flips_and_rotation) {
  const ScreenRect canvas{100, 50, 800, 600};
  for (const bool flip : {false, true}) {
    const ViewTransform view{{400.25, 300.5}, 3.7, flip, !flip, 33};
    const CanvasTransform transform(view, canvas);
    const PixelPosition back = transform.to_image(transform.to_screen({512.5, 17.25}));
    EXPECT_NEAR(back.x, 512.5, 1e-9);
    EXPECT_NEAR(back.y, 17.25, 1e-9);
  }
}

TEST(View, y_points_up_and_zooming_keeps_what_is_under_the_cursor) {
  const ScreenRect canvas{0, 0, 800, 600};
  const ViewTransform view{{100, 100}, 2, false, false, 0};
  const CanvasTransform transform(view, canvas);
  EXPECT_LT(transform.to_screen({100, 110}).y, transform.to_screen({100, 100}).y);
  const ScreenPoint cursor{123, 456};
  const PixelPosition before = transform.to_image(cursor);
  const PixelPosition after = CanvasTransform(zoom_at(view, canvas, cursor, 5), canvas).to_image(cursor);
  EXPECT_NEAR(after.x, before.x, 1e-9);
  EXPECT_NEAR(after.y, before.y, 1e-9);
}

TEST(View, fit_shows_every_pixel) {
  const ScreenRect canvas{10, 20, 900, 400};
  ViewTransform turned;
  turned.rotation_deg = 30;
  const Shape image{1234, 777};
  const CanvasTransform transform(fit_view(turned, image, canvas), canvas);
  for (const double x : {-0.5, 776.5})
    for (const double y : {-0.5, 1233.5}) EXPECT_TRUE(canvas.contains(transform.to_screen({x, y})));
  EXPECT_EQ(transform.visible(image), (Rect{0, 0, 1234, 777}));
}

TEST(FirstLimits, noise_is_dark_and_five_sigma_bright) {
  Image noise({512, 512});
  std::mt19937 random(21);
  std::normal_distribution<float> normal;
  for (int i = 0; i < 512 * 512; ++i) noise.data()[i] = i % 10 == 0 ? NAN : normal(random);
  const auto sample = sorted_sample(*pyramid_of(noise.clone()));
  EXPECT_GT(sample.size(), 10000u);
  const auto [low, high] = robust_limits(sample);
  EXPECT_NEAR(low, -1.5, 0.1);
  EXPECT_NEAR(high, 15, 0.5);
  EXPECT_EQ(robust_limits({}), (std::pair<double, double>(0, 1)));
  const auto [flat_low, flat_high] = robust_limits({2, 2, 2});
  EXPECT_LT(flat_low, flat_high);
  const auto part = cumulative_of(sample, low, high);
  EXPECT_EQ(part.front(), 0);
  EXPECT_EQ(part.back(), 1);
  EXPECT_TRUE(std::is_sorted(part.begin(), part.end()));
}

TEST(Selection, follows_its_sources_into_a_new_result) {
  std::vector<Source> before(3), now(2);
  before[1].x = 50;
  before[1].y = 60;
  before[2].x = 90;
  now[0].x = 50.4;
  now[0].y = 60.2;
  now[1].x = 500;
  Selection selection;
  selection.select_only(2);
  selection.toggle(1);
  selection.follow(before, now);
  EXPECT_EQ(selection.rows, (std::set<std::int64_t>{0}));
  EXPECT_EQ(selection.focus, 0);
}

TEST(JobSlot, the_newest_wins_and_a_failure_is_told) {
  std::atomic<int> changes{0};
  JobSlot<int> slot([&] { ++changes; });
  for (int i = 0; i < 20; ++i)
    slot.start([i](const Progress& progress) {
      for (int step = 0; step < 50 && i < 19; ++step) {
        progress.check();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      return i;
    });
  while (slot.busy()) std::this_thread::yield();
  EXPECT_EQ(slot.take(), 19);
  EXPECT_EQ(slot.take(), std::nullopt);
  slot.start([](const Progress&) -> int { throw DataError("no such thing"); });
  while (slot.busy()) std::this_thread::yield();
  EXPECT_EQ(slot.take(), std::nullopt);
  EXPECT_EQ(slot.error(), "no such thing");
}

TEST(JobSlot, is_free_only_once_its_result_is_taken) {
  JobSlot<int> slot([] {});
  EXPECT_TRUE(slot.free());
  slot.start([](const Progress&) { return 7; });
  EXPECT_FALSE(slot.free());
  while (slot.busy()) std::this_thread::yield();
  EXPECT_FALSE(slot.free());  // else the next work, begun now, would throw the 7 away
  EXPECT_EQ(slot.take(), 7);
  EXPECT_TRUE(slot.free());
}

TEST(StateJson, is_found_by_path) {
  ViewerState state;
  state.documents.push_back(std::make_unique<Document>());
  state.documents[0]->path = "/a/b.fits";
  state.documents[0]->view.zoom = 2.5;
  state.active = 0;
  const std::string json = state_json(state);
  EXPECT_EQ(json_at(json, "documents.0.view.zoom"), "2.5");
  EXPECT_EQ(json_at(json, "documents.length"), "1");
  EXPECT_EQ(json_at(json, "documents.0.title"), "b.fits");
  EXPECT_EQ(json_at(json, "documents.7.title"), "");
}

TEST(FolderListing, filters_by_every_word) {
  EXPECT_TRUE(fits_filter("NVSS_Stokes_I.fits.gz", "nvss .gz"));
  EXPECT_FALSE(fits_filter("NVSS_Stokes_I.fits.gz", "nvss q"));
  EXPECT_EQ(words_of_size(4017600), "4.0 MB");
}

}  // namespace
}  // namespace reber::gui
