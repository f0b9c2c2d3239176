// SPDX-License-Identifier: BSD-3-Clause
// Noise whose correlation follows the beam: of all patches together it is that of the middle's beam.
#include "core/measure/sources/noise_by_place.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/support/shared_backend.hpp"
#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

constexpr std::int64_t kWidth = 256, kReach = 12;

/// FWHM of the beam: 5 pixels, 10 in the right half.
double fwhm_at(std::int64_t x) { return x < 128 ? 5 : 10; }

/// Of unit rms, with the autocorrelation of the beam's shape.
Image noise() {
  Random random(5);
  Image white({kWidth + 2 * kReach, kWidth + 2 * kReach}), image({kWidth, kWidth});
  for (std::int64_t i = 0; i < white.shape().count(); ++i) white.data()[i] = static_cast<float>(random.normal());
  for (std::int64_t y = 0; y < kWidth; ++y)
    for (std::int64_t x = 0; x < kWidth; ++x) {
      double sum = 0, squares = 0;
      for (std::int64_t dy = -kReach; dy <= kReach; ++dy)
        for (std::int64_t dx = -kReach; dx <= kReach; ++dx) {
          const auto far2 = static_cast<double>(dx * dx + dy * dy);
          const double weight = std::exp(-8 * std::numbers::ln2 * far2 / (fwhm_at(x) * fwhm_at(x)));
          sum += weight * static_cast<double>(white.at(y + dy + kReach, x + dx + kReach)), squares += weight * weight;
        }
      image.at(y, x) = static_cast<float>(sum / std::sqrt(squares));
    }
  return image;
}

/// Nodes that give each patch of 128 pixels its beam at its middle.
BeamField beams() {
  auto nodes = std::make_shared<BeamNodes>();
  nodes->shape = {4, 4}, nodes->step_px = 128;
  for (int row = 0; row < 4; ++row)
    for (const double fwhm2 : {25.0, 25.0, 175.0, 175.0}) nodes->pixels.push_back({fwhm2, 0, fwhm2});
  nodes->sky = nodes->pixels;
  return BeamField(nodes);
}

TEST(NoiseByPlace, patches_are_stretched_to_the_beam_of_the_middle) {
  const Image image = noise();
  Backend& cpu = backend("cpu");
  const auto plane = load(cpu, image);
  const BackgroundModel background = BackgroundModel::constant(image.shape(), 0, 1);
  const auto islands = cpu.label(*plane, background, DetectOptions());
  const Covariance middle{25, 0, 25};
  ThreadPool pool(1);
  const NoiseByPlace found = measure_noise_by_place({cpu, *plane, background, *islands}, beams(), middle, 5, pool, {});
  const NoiseCorrelation right = NoiseCorrelation::of_shape(middle);
  for (std::int64_t dy = 0; dy < 6; ++dy)
    for (std::int64_t dx = -5; dx < 6; ++dx)
      EXPECT_NEAR(found.at_middle.correlation.at(dy, dx), right.at(dy, dx), 0.05) << dy << ' ' << dx;
  EXPECT_GT(found.as_it_is.correlation.at(0, 4), right.at(0, 4) + 0.1) << "a mixture of both";
  EXPECT_EQ(found.as_it_is.pixels, found.at_middle.pixels);
}

/// Rows or columns that patches begin and end at, each once.
std::vector<PixelSpan> spans_of(const std::vector<Rect>& patches, bool rows) {
  std::vector<PixelSpan> spans;
  for (const Rect& one : patches) {
    const PixelSpan span = rows ? PixelSpan{one.y0, one.y0 + one.ny} : PixelSpan{one.x0, one.x0 + one.nx};
    if (spans.empty() || spans.back().begin < span.begin) spans.push_back(span);
  }
  return spans;
}

TEST(NoisePatches, hold_every_pixel_of_small_images_from_both_ends_alike) {
  for (std::int64_t length = 1; length <= 2100; ++length) {
    SCOPED_TRACE(length);
    const std::vector<PixelSpan> spans = spans_of(noise_patches({7, 3, length, 1}), true);
    ASSERT_FALSE(spans.empty());
    ASSERT_LE(spans.size(), 8U);
    for (std::size_t k = 0; k < spans.size(); ++k) {
      EXPECT_EQ(spans[k].size(), spans[0].size());
      EXPECT_LE(spans[k].size(), 128);
      EXPECT_EQ(spans[k].begin - 7, 7 + length - spans[spans.size() - 1 - k].end);
      if (k > 0) EXPECT_TRUE(length > 1024 || spans[k].begin <= spans[k - 1].end) << spans[k].begin;
    }
    EXPECT_TRUE(length > 1024 || spans[0].begin == 7) << spans[0].begin;
  }
}

TEST(NoisePatches, go_with_their_part_of_the_image) {
  const std::vector<Rect> at_zero = noise_patches({0, 0, 300, 1500}), shifted = noise_patches({40, 9, 300, 1500});
  ASSERT_EQ(at_zero.size(), 4U * 8);
  ASSERT_EQ(shifted.size(), at_zero.size());
  for (std::size_t k = 0; k < at_zero.size(); ++k) {
    const Rect& from = at_zero[k];
    EXPECT_EQ(shifted[k], (Rect{from.y0 + 40, from.x0 + 9, from.ny, from.nx}));
  }
}

}  // namespace
}  // namespace reber::testing
