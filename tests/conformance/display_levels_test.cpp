// SPDX-License-Identifier: BSD-3-Clause
// Reduced levels of maps: the same bits on every backend, whole, in tiles and on the device.
#include "core/show/display/display_levels.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

const std::vector<Shape> kShapes{{257, 303}, {1, 200}, {200, 1}, {64, 64}, {1, 1}, {700, 1101}};
constexpr std::array<MapKind, 4> kKinds{MapKind::image, MapKind::mean, MapKind::rms, MapKind::snr};

/// Noise with blank pixels, a blank area that is some levels wide, infinite pixels and zeros of both signs.
Image rough_image(Shape shape) {
  Image image = random_image(shape, 0.2, 21);
  const auto set = [&](std::int64_t y, std::int64_t x, float value) {
    if (y < shape.ny && x < shape.nx) image.at(y, x) = value;
  };
  for (std::int64_t y = 32; y < 130; ++y)
    for (std::int64_t x = 10; x < 140; ++x) set(y, x, std::numeric_limits<float>::quiet_NaN());
  for (std::int64_t y = 140; y < 160; ++y)
    for (std::int64_t x = 150; x < 200; ++x) set(y, x, (x + y) % 3 == 0 ? -0.0f : 0.0f);
  return image;
}

std::unique_ptr<DisplayLevels> levels_of(Backend& tested, MapKind kind, std::shared_ptr<const Plane> plane,
                                         const BackgroundModel& model) {
  auto* const display = tested.display();
  if (display == nullptr) return host_display_levels(tested, kind, *plane, &model, {});
  return display->display_levels(kind, std::move(plane), &model, {});
}

Image cut(const Image& whole, const Rect& where) {
  Image part(where.shape());
  for (std::int64_t y = 0; y < where.ny; ++y)
    for (std::int64_t x = 0; x < where.nx; ++x) part.at(y, x) = whole.at(where.y0 + y, where.x0 + x);
  return part;
}

void check_tile(DisplayLevels& levels, int level, Reduction reduction, const Rect& where, const Image& expected) {
  Image got(where.shape());
  levels.read(level, reduction, where, got.data());
  EXPECT_TRUE(same_bits(got, expected));
  const auto tile = levels.draw(level, reduction, where);
  if (!tile) return;
  EXPECT_EQ(tile->bytes(), 4 * where.shape().count());
  const std::vector<float> values = tile->on_host();
  std::ranges::copy(values, got.data());
  EXPECT_TRUE(same_bits(got, expected)) << "on the device";
}

void check_levels(DisplayLevels& levels, const Image& map, const ReducedLevels& expected) {
  const Shape image = map.shape();
  for (int level = 0; level < levels::level_count(image); ++level) {
    const Shape shape = levels::level_shape(image, level);
    for (const Reduction reduction : {Reduction::mean, Reduction::peak, Reduction::blend}) {
      SCOPED_TRACE(fmt::format("level {} reduction {}", level, static_cast<int>(reduction)));
      Image whole(shape);
      if (level == 0)
        whole = map.clone();
      else
        expected.read(level, reduction, {0, 0, shape.ny, shape.nx}, whole.data());
      check_tile(levels, level, reduction, {0, 0, shape.ny, shape.nx}, whole);
      const Rect part{shape.ny / 3, shape.nx / 5, (shape.ny + 2) / 3, (shape.nx + 1) / 2};
      check_tile(levels, level, reduction, part, cut(whole, part));
    }
  }
}

TEST(DisplayLevels, are_those_of_the_host_bit_for_bit) {
  Backend& reference = backend("reference");
  for (const Shape shape : kShapes) {
    const Image image = rough_image(shape);
    const auto plane = load(reference, image);
    const MeshGrid grid = MeshGrid::make(shape, 64);
    const BackgroundModel model = shape.count() > 10000 ? finish_mesh(grid, reference.mesh(*plane, grid, {}, {}), {})
                                                        : BackgroundModel::constant(shape, 0.25f, 1.5f);
    for (const MapKind kind : kKinds) {
      const Image map = kind == MapKind::image ? store(reference, *plane) : render(reference, kind, *plane, model);
      const ReducedLevels expected = ReducedLevels::of(map, {});
      for (const std::string& name : tested_backends()) {
        SCOPED_TRACE(fmt::format("{} {} x {} map {}", name, shape.ny, shape.nx, static_cast<int>(kind)));
        const auto levels = levels_of(backend(name), kind, load(backend(name), image), model);
        ASSERT_NE(levels, nullptr);
        EXPECT_TRUE(levels->shape() == shape);
        check_levels(*levels, map, expected);
      }
    }
  }
}

TEST(DisplayLevels, rows_of_a_blend_follow_the_rule_of_each_pixel) {
  const Image image = rough_image({700, 1101});
  const ReducedLevels made = ReducedLevels::of(image, {});
  for (int index = 1; index < levels::level_count(image.shape()); ++index) {
    const ReducedLevels::Level& level = made.level(index);
    const PeakBlend& blend = level.blend;
    for (const std::int64_t x0 : {std::int64_t{0}, level.shape.nx / 3}) {
      Image got({level.shape.ny, level.shape.nx - x0}), expected(got.shape());
      for (std::int64_t y = 0; y < level.shape.ny; ++y) {
        blend.row(y, x0, got.shape().nx, level.mean.data() + y * level.shape.nx + x0,
                  level.peak.data() + y * level.shape.nx + x0, &got.at(y, 0));
        const levels::Between v = levels::between(y, level.shape.ny, blend.ny());
        for (std::int64_t x = x0; x < level.shape.nx; ++x) {
          const levels::Between u = levels::between(x, level.shape.nx, blend.nx());
          const auto cell = [&](std::int64_t j, std::int64_t i) {
            return blend.cells()[static_cast<std::size_t>(j * blend.nx() + i)];
          };
          const levels::Noise noise = levels::noise_between(cell(v.low, u.low), cell(v.low, u.high),
                                                            cell(v.high, u.low), cell(v.high, u.high), u.part, v.part);
          expected.at(y, x - x0) = levels::blended(level.mean.at(y, x), level.peak.at(y, x), noise);
        }
      }
      EXPECT_TRUE(same_bits(got, expected)) << "level " << index << " from " << x0;
    }
  }
}

TEST(DisplayLevels, their_sample_is_that_of_the_host) {
  const Shape shape{1030, 900};
  const Image image = rough_image(shape);
  const auto flat = BackgroundModel::constant(shape, 0.5f, 2.0f);
  const LevelSample places = LevelSample::of(shape);
  ASSERT_GT(places.step, 1);
  const Image map = render(backend("reference"), MapKind::snr, *load(backend("reference"), image), flat);
  std::vector<float> expected;
  for (std::int64_t y = places.step / 2; y < shape.ny; y += places.step)
    for (std::int64_t x = 7 * y % places.step; x < shape.nx; x += places.step)
      if (std::isfinite(map.at(y, x))) expected.push_back(map.at(y, x));
  for (const std::string& name : tested_backends()) {
    SCOPED_TRACE(name);
    std::vector<float> got = levels_of(backend(name), MapKind::snr, load(backend(name), image), flat)->sample();
    std::erase_if(got, [](float v) { return !std::isfinite(v); });
    EXPECT_EQ(got, expected);
  }
}

TEST(DisplayLevels, a_plane_that_is_streamed_has_none_on_a_device) {
  const Image image = random_image({90, 70}, 0, 3);
  const auto flat = BackgroundModel::constant({90, 70}, 0, 1);
  for (const std::string& name : tested_backends()) {
    auto* const display = backend(name).display();
    if (display == nullptr) continue;
    EXPECT_EQ(display->display_levels(MapKind::snr, load(backend(name), image, 19), &flat, {}), nullptr);
  }
}

}  // namespace
}  // namespace reber::testing
