// SPDX-License-Identifier: BSD-3-Clause
// Planes whose pixels stay in a source that counts what is read of it, and islands to be compared.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/files/image/image_file.hpp"
#include "core/sky/model/rectangle_source.hpp"
#include "tests/support/testing.hpp"

namespace reber::testing {

inline constexpr Shape kShape{1130, 203};
inline constexpr std::int64_t kHeights[] = {64, 100, 1000, kShape.ny};

/// Pixels in memory that count how many rows were read, how many rectangles, and the pixels of these.
class CountedSource final : public PixelSource, public RectangleSource {
 public:
  explicit CountedSource(const Image& image) : image_(image), inner_(memory_source(image.data(), image.shape())) {}
  [[nodiscard]] Shape shape() const override { return inner_->shape(); }
  [[nodiscard]] PixelFormat format() const override { return inner_->format(); }
  [[nodiscard]] const RectangleSource* rectangle_source() const override { return this; }
  void read_rows(std::int64_t y0, std::int64_t ny, std::byte* out) const override {
    rows += ny;
    inner_->read_rows(y0, ny, out);
  }
  void read_rectangle(const Rect& where, std::byte* out) const override {
    ++rectangles;
    pixels += where.shape().count();
    const std::int64_t bytes = where.nx * 4;
    for (std::int64_t y = where.y0; y < where.y0 + where.ny; ++y, out += bytes)
      std::memcpy(out, image_.data() + y * image_.shape().nx + where.x0, static_cast<std::size_t>(bytes));
  }
  mutable std::atomic<std::int64_t> rows{0}, rectangles{0}, pixels{0};

 private:
  const Image& image_;
  std::unique_ptr<PixelSource> inner_;
};

/// Noise with islands that reach over many bands, blank pixels and a blank corner.
inline Image tall_image() {
  Image image = random_image(kShape, 0.01, 31);
  for (std::int64_t y = 50; y < 1100; ++y)
    for (std::int64_t x = 90; x < 93; ++x) image.at(y, x + (y / 40) % 7) += 20;
  for (std::int64_t y = 0; y < 150; ++y)
    for (std::int64_t x = 0; x < 60; ++x) image.at(y, x) = std::numeric_limits<float>::quiet_NaN();
  return image;
}

/// Rows that one walk over an image of ny rows may read. Bands are joined in strips about their borders, which are read
/// again; in images as low as these they grow to most of the image.
inline std::int64_t walk_of(const std::string& name, std::int64_t ny) { return name == kBanded ? 5 * ny : ny; }

inline std::unique_ptr<Plane> streamed(Backend& tested, std::shared_ptr<const PixelSource> source,
                                       std::int64_t height) {
  TilingPlan tiling;
  tiling.resident = false;
  tiling.in_source = true;
  tiling.band_rows = height;
  tiling.streams = 2;
  return tested.stream(std::move(source), tiling);
}

template <typename T>
bool same_values(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

inline BackgroundModel sloping(Shape shape) {
  BackgroundModel model = BackgroundModel::constant(shape, 0, 1);
  model.grid = MeshGrid::make(shape, 70);
  for (std::int64_t k = 0; k < model.grid.ny() * model.grid.nx(); ++k) {
    const auto value = static_cast<float>(k);
    model.mean.resize(static_cast<std::size_t>(k) + 1, 0.001f * value);
    model.rms.resize(static_cast<std::size_t>(k) + 1, 1 + 0.002f * value);
  }
  return model;
}

inline void expect_same_islands(Backend& tested, const Plane& a, const Plane& b, const BackgroundModel& model_a,
                                const BackgroundModel& model_b) {
  const auto of_a = tested.label(a, model_a, {3, 2, 2, Connectivity::eight, false});
  const auto of_b = tested.label(b, model_b, {3, 2, 2, Connectivity::eight, false});
  EXPECT_GT(of_a->count(), 20);
  EXPECT_EQ(tested.label_runs(*of_a), tested.label_runs(*of_b));
  const auto sums_a = tested.measure(a, model_a, *of_a), sums_b = tested.measure(b, model_b, *of_b);
  ASSERT_EQ(sums_a.size(), sums_b.size());
  for (std::size_t k = 0; k < sums_a.size(); ++k) {
    EXPECT_EQ(sums_a[k].npix, sums_b[k].npix);
    EXPECT_EQ(sums_a[k].peak, sums_b[k].peak);
    EXPECT_EQ(sums_a[k].peak_rms, sums_b[k].peak_rms);
    EXPECT_EQ(sums_a[k].peak_y, sums_b[k].peak_y);
    EXPECT_EQ(sums_a[k].s, sums_b[k].s);
    EXPECT_EQ(sums_a[k].syy, sums_b[k].syy);
  }
  for (const std::int64_t least : {1, 30}) {
    const IslandPixels pixels_a = tested.island_pixels(a, model_a, *of_a, least);
    const IslandPixels pixels_b = tested.island_pixels(b, model_b, *of_b, least);
    EXPECT_EQ(pixels_a.label, pixels_b.label);
    EXPECT_EQ(pixels_a.y, pixels_b.y);
    EXPECT_TRUE(same_values(pixels_a.pixel, pixels_b.pixel));
    EXPECT_TRUE(same_values(pixels_a.mean, pixels_b.mean));
    EXPECT_TRUE(same_values(pixels_a.rms, pixels_b.rms));
  }
}

}  // namespace reber::testing
