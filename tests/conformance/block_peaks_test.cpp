// SPDX-License-Identifier: BSD-3-Clause
// Peaks of blocks by a backend that finds them where its planes lie, and by a loop.
#include "core/seam/compute/backend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

/// Noise with blanks, infinities, an area without a finite pixel and one of minus infinity.
Image awkward_image(Shape shape) {
  Image image = random_image(shape, 0.2, 31);
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (std::int64_t y = 0; y < shape.ny; ++y)
    for (std::int64_t x = 0; x < shape.nx; ++x) {
      if ((y * 7 + x) % 11 == 0) image.at(y, x) = kInfinity;
      if (y < shape.ny / 3 && x < shape.nx / 2) image.at(y, x) = std::nanf("");
      if (y >= shape.ny / 2 && x >= shape.nx / 2) image.at(y, x) = -kInfinity;
    }
  image.at(shape.ny - 1, shape.nx - 1) = std::numeric_limits<float>::max();
  image.at(0, shape.nx - 1) = std::numeric_limits<float>::lowest();
  return image;
}

std::vector<float> peaks_by_loop(const Image& image, std::int64_t block) {
  const Shape shape = image.shape();
  const std::int64_t ny = (shape.ny + block - 1) / block, nx = (shape.nx + block - 1) / block;
  std::vector<float> peaks(static_cast<std::size_t>(ny * nx), std::nanf(""));
  for (std::int64_t y = 0; y < shape.ny; ++y)
    for (std::int64_t x = 0; x < shape.nx; ++x) {
      float& peak = peaks[static_cast<std::size_t>(y / block * nx + x / block)];
      if (const float value = image.at(y, x); std::isfinite(value) && !(value <= peak)) peak = value;
    }
  return peaks;
}

/// Bands begin with blocks of a picture of 1400 pixels.
std::int64_t block_of_picture(Shape shape) { return (std::max(shape.ny, shape.nx) + 1399) / 1400; }

TEST(BlockPeaks, are_the_largest_finite_pixels) {
  for (const std::string& name : tested_backends()) {
    Backend& by = backend(name);
    for (const Shape shape : {Shape{1, 1}, Shape{40, 61}, Shape{3, 1000}, Shape{257, 130}, Shape{4300, 30}}) {
      const Image image = awkward_image(shape);
      const auto plane = load(by, image);
      for (const std::int64_t block : {1, 2, 3, 4, 11, 32, 64, 500}) {
        SCOPED_TRACE(fmt::format("{}, {} x {}, blocks of {}", name, shape.ny, shape.nx, block));
        const auto got = by.block_peaks(*plane, block, {});
        if (name == kBanded && block != block_of_picture(shape) && !got) continue;
        ASSERT_TRUE(got.has_value());
        const std::vector<float> expected = peaks_by_loop(image, block);
        ASSERT_EQ(got->size(), expected.size());
        for (std::size_t k = 0; k < expected.size(); ++k)
          ASSERT_TRUE(std::isnan(expected[k]) ? std::isnan((*got)[k]) : (*got)[k] == expected[k])
              << "block " << k << ": " << (*got)[k] << ", expected " << expected[k];
      }
    }
    const Image image = awkward_image({200, 200});
    const auto of_streamed = by.block_peaks(*load(by, image, 50), 1, {});
    EXPECT_EQ(of_streamed.has_value(), name != "cuda") << "which holds it whole all the same";
  }
}

}  // namespace
}  // namespace reber::testing
