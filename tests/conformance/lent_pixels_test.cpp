// SPDX-License-Identifier: BSD-3-Clause
// Images that lie on a card already, and maps that stay there: the bits of the host's way, and none over the bus.
#include "core/seam/compute/lent_pixels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/files/image/image_file.hpp"
#include "core/show/display/display_levels.hpp"
#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

constexpr Shape kShape{131, 203};

Image image_of(const DeviceTile& tile, Shape shape) {
  Image image(shape);
  std::ranges::copy(tile.on_host(), image.data());
  return image;
}

LentSource source_of(const DeviceTile& tile, Shape shape) {
  LentPixels pixels;
  pixels.first = static_cast<const std::byte*>(tile.address());
  pixels.row_bytes = shape.nx * 4;
  pixels.pixel_bytes = 4;
  pixels.card = tile.card();
  return {pixels, shape, {}};
}

struct Loaded {
  std::unique_ptr<Plane> plane;
  OpCounters cost;
};
Loaded load_lent(Backend& tested, const LentSource& source, std::int64_t band_rows = 0) {
  TilingPlan tiling;
  tiling.resident = band_rows == 0;
  tiling.band_rows = band_rows;
  Loaded made;
  made.plane = tested.load(source, tiling, Job({}, &made.cost));
  return made;
}

TEST(LentPixels, no_backend_of_the_host_reads_them) {
  for (const std::string& name : tested_backends()) {
    if (backend(name).display() != nullptr) continue;
    EXPECT_THROW((void)backend(name).load(LentSource({}, kShape, {}), {}), InternalError) << name;
  }
  EXPECT_THROW((void)backend("reference").load(LentSource({}, kShape, {}), {}), InternalError);
}

TEST(LentPixels, a_map_that_stays_has_the_bits_of_the_one_that_is_fetched) {
  for (const std::string& name : tested_backends()) {
    Backend& tested = backend(name);
    DisplayEngine* const card = tested.display();
    if (card == nullptr) continue;
    for (const std::int64_t band_rows : {0, 32}) {
      const auto plane = load(tested, random_image(kShape, 0.1, 5), band_rows);
      const BackgroundModel background = BackgroundModel::constant(kShape, 0.25, 0.5);
      for (const MapKind kind : {MapKind::image, MapKind::mean, MapKind::rms, MapKind::snr}) {
        OpCounters cost;
        const auto tile = card->device_map(kind, *plane, &background, Job({}, &cost));
        EXPECT_TRUE(same_bits(image_of(*tile, kShape), render(tested, kind, *plane, background))) << name;
        EXPECT_EQ(cost.bytes_down, 0) << name;
      }
      const auto islands = tested.label(*plane, background, {});
      ASSERT_GT(islands->count(), 0);
      const std::vector<float> words = card->device_labels(*islands)->on_host();
      const std::vector<std::int32_t> right = labels_of(tested, *islands);
      ASSERT_EQ(words.size(), right.size());
      EXPECT_EQ(std::memcmp(words.data(), right.data(), right.size() * 4), 0) << name;
    }
  }
}

TEST(LentPixels, an_image_on_the_card_is_loaded_without_the_bus) {
  for (const std::string& name : tested_backends()) {
    Backend& tested = backend(name);
    DisplayEngine* const card = tested.display();
    if (card == nullptr) continue;
    const Image image = random_image(kShape, 0.1, 6);
    const auto plane = load(tested, image);
    const auto tile = card->device_map(MapKind::image, *plane, nullptr);
    const LentSource whole = source_of(*tile, kShape);
    const Loaded again = load_lent(tested, whole);
    EXPECT_TRUE(same_bits(store(tested, *again.plane), store(tested, *plane)));
    EXPECT_EQ(again.plane->blank(), plane->blank());
    EXPECT_EQ(again.cost.bytes_up, 0);
    EXPECT_LT(again.cost.bytes_down, 1024);  // what was counted
    const Loaded banded = load_lent(tested, whole, 32);
    EXPECT_TRUE(same_bits(store(tested, *banded.plane), store(tested, *plane)));

    // Every second column of the rows from the last to the first.
    LentPixels steps = *whole.lent_pixels();
    steps.first += (kShape.ny - 1) * steps.row_bytes;
    steps.row_bytes = -steps.row_bytes;
    steps.pixel_bytes = 8;
    const Shape half{kShape.ny, kShape.nx / 2};
    Image right(half);
    for (std::int64_t y = 0; y < half.ny; ++y)
      for (std::int64_t x = 0; x < half.nx; ++x) right.at(y, x) = image.at(kShape.ny - 1 - y, 2 * x);
    EXPECT_TRUE(same_bits(store(tested, *load_lent(tested, {steps, half, {}}).plane), right));
  }
}

TEST(LentPixels, memory_of_no_card_or_of_another_is_refused) {
  for (const std::string& name : tested_backends()) {
    Backend& tested = backend(name);
    DisplayEngine* const card = tested.display();
    if (card == nullptr) continue;
    const auto plane = load(tested, random_image(kShape, 0, 7));
    const auto tile = card->device_map(MapKind::image, *plane, nullptr);
    LentPixels lent = *source_of(*tile, kShape).lent_pixels();
    lent.card = tile->card() + 1;
    EXPECT_THROW((void)tested.load(LentSource(lent, kShape, {}), {}), InputError);
    const std::vector<float> host(static_cast<std::size_t>(kShape.count()));
    lent.first = reinterpret_cast<const std::byte*>(host.data());
    lent.card.reset();
    EXPECT_THROW((void)tested.load(LentSource(lent, kShape, {}), {}), InputError);
  }
}

}  // namespace
}  // namespace reber::testing
