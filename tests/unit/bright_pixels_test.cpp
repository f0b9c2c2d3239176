// SPDX-License-Identifier: BSD-3-Clause
// Bright pixels convolved apart from the others: their response on every border, and what is left of an FFT's error.
#include "core/run/pipeline/bright_pixels.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/files/image/image_file.hpp"
#include "core/seam/compute/boundary_index.hpp"
#include "core/seam/plan/algorithm_choice.hpp"
#include "core/sky/model/kernel.hpp"
#include "kernels/backends.hpp"
#include "kernels/shared/pixel_rules.hpp"
#include "tests/support/testing.hpp"

namespace reber {
namespace {

constexpr Boundary kEvery[] = {Boundary::zero,    Boundary::reflect, Boundary::mirror,
                               Boundary::nearest, Boundary::wrap,    Boundary::blank};

TEST(BoundaryIndex, IsTheBackendsRule) {
  for (const Boundary boundary : kEvery)
    for (const std::int64_t n : {1, 2, 3, 7})
      for (std::int64_t i = -40; i < 40; ++i)
        EXPECT_EQ(boundary_index(i, n, boundary), rules::boundary_index(i, n, boundary)) << i << " of " << n;
}

Image convolved(const std::string& backend, const Image& image, const ConvolutionSpec& spec, Algorithm algorithm) {
  const auto made = make_backend(backend, {}, LogSink());
  const auto plane = made->load(*memory_source(image.data(), image.shape()), {}, {});
  const auto plan = made->plan_convolution(spec, image.shape(), algorithm, {});
  const auto result = made->convolve(*plane, *plan, {});
  Image out(image.shape());
  made->render_rows(MapKind::image, *result, nullptr, 0, image.shape().ny, out.data());
  return out;
}

double largest_difference(const Image& a, const Image& b, const Image* where = nullptr) {
  double largest = 0;
  for (std::int64_t i = 0; i < a.shape().count(); ++i)
    if (where == nullptr || where->data()[i] == 0)
      largest = std::max(largest, std::abs(static_cast<double>(a.data()[i]) - static_cast<double>(b.data()[i])));
  return largest;
}

TEST(DynamicRange, FarBelowTheLimitIsSettledByASample) {
  const Shape shape{1030, 1100};
  Image image = testing::random_image(shape, 0.1, 17);
  const auto made = make_backend("cpu", {}, LogSink());
  const auto ranges = [&] {
    const auto plane = made->load(*memory_source(image.data(), shape), {}, {});
    const double largest = std::max(std::abs(made->statistics(*plane).max), std::abs(made->statistics(*plane).min));
    return std::pair{dynamic_range(*made, *plane), largest / made->clip(*plane, {}).std};
  };
  image.at(511, 700) = -5e3F;
  const auto [sampled, near] = ranges();
  EXPECT_NE(sampled, near);
  EXPECT_NEAR(sampled, near, 0.05 * near);
  // From an eighth of the limit on, all pixels say what it is; and where a sample says nothing of the noise.
  image.at(511, 700) = 2e4F;
  const auto [whole, above] = ranges();
  EXPECT_EQ(whole, above);
  image.at(511, 700) = 30;
  for (std::int64_t y = 0; y < shape.ny; ++y) std::fill_n(image.data() + y * shape.nx, 700, 0.0F);
  const auto [flat, clipped] = ranges();
  EXPECT_EQ(flat, clipped);
}

TEST(BrightPixels, GiveWhatAConvolutionOfThemAloneGives) {
  const Shape shape{23, 31};
  Image image(shape);
  std::fill_n(image.data(), shape.count(), 0.0F);
  for (const auto& [y, x] : {std::pair{0, 0}, {1, 30}, {11, 15}, {22, 2}, {21, 29}, {12, 15}})
    image.at(y, x) = static_cast<float>(100 + 10 * y + x);
  const BrightPixels bright = bright_pixels(image, 0, 50, 100);
  ASSERT_EQ(bright.at.size(), 6U);
  EXPECT_EQ(bright.left, 0);
  ConvolutionSpec spec;
  for (const Boundary boundary : kEvery) {
    if (boundary == Boundary::blank) continue;
    spec.boundary = boundary;
    for (const double fwhm2 : {16.0, 400.0}) {  // the second is wider than the image
      spec.kernel = gaussian_kernel({fwhm2, fwhm2 / 3, fwhm2 / 2}, Normalise::sum);
      const Image right = convolved("reference", image, spec, Algorithm::direct);
      const Image response = response_of(bright, shape, spec, 2, {});
      EXPECT_LT(largest_difference(response, right), 2e-5) << to_string(boundary) << ' ' << fwhm2;
    }
  }
}

TEST(BrightPixels, AreTheBrightestWhereTheyAreTooMany) {
  Image image({1, 6});
  for (std::int64_t i = 0; i < 6; ++i) image.data()[i] = static_cast<float>(i % 2 == 0 ? 10 * i : -10 * i);
  image.data()[0] = std::nanf("");
  const BrightPixels bright = bright_pixels(image, 1, 5, 2);
  EXPECT_EQ(bright.at, (std::vector<std::int64_t>{4, 5}));
  EXPECT_EQ(bright.excess, (std::vector<double>{39, -51}));
  EXPECT_EQ(bright.left, 31);
}

/// The excess is over the median, as far as a float holds it: on an offset the source itself must come out right.
TEST(BrightPixels, StandOnTheMedian) {
  const Shape shape{96, 96};
  Image image = testing::random_image(shape, 0, 7);
  for (std::int64_t i = 0; i < shape.count(); ++i) image.data()[i] += 3e4F;
  image.at(40, 50) += 1e8F;
  ConvolutionSpec spec;
  spec.kernel = gaussian_kernel({25, 9, 8}, Normalise::sum);
  spec.boundary = Boundary::reflect;
  const Image right = convolved("reference", image, spec, Algorithm::direct);
  const auto backend = make_backend("cpu", {}, LogSink());
  const auto plane = backend->load(*memory_source(image.data(), shape), {}, {});
  const auto plan = backend->plan_convolution(spec, shape, Algorithm::fft, {});
  const ConvolvedApart apart = convolve_apart(*backend, *plane, *plan, 1e8, {}, {});
  ASSERT_NE(apart.plane, nullptr);
  EXPECT_EQ(apart.pixels, 1U);
  Image out(shape);
  backend->render_rows(MapKind::image, *apart.plane, nullptr, 0, shape.ny, out.data());
  EXPECT_LT(largest_difference(out, right), 2);
}

/// Noise of 1 and a source of 1e8 over an offset: beyond the kernel's reach an FFT alone errs by more than the noise.
TEST(BrightPixels, LeaveAnFftTheErrorOfTheOthers) {
  const Shape shape{220, 240};
  Image image = testing::random_image(shape, 0, 7);
  for (std::int64_t i = 0; i < shape.count(); ++i) image.data()[i] += 20;
  for (int dy = -3; dy <= 3; ++dy)
    for (int dx = -3; dx <= 3; ++dx)
      image.at(90 + dy, 100 + dx) += static_cast<float>(1e8 * std::exp(-0.7 * (dx * dx + dy * dy)));
  ConvolutionSpec spec;
  spec.kernel = gaussian_kernel({25, 9, 8}, Normalise::sum);
  spec.boundary = Boundary::reflect;
  const Image right = convolved("reference", image, spec, Algorithm::direct);
  Image near(shape);
  std::fill_n(near.data(), shape.count(), 0.0F);
  for (std::int64_t y = 70; y < 111; ++y)
    for (std::int64_t x = 80; x < 121; ++x) near.at(y, x) = 1;
  const auto backend = make_backend("cpu", {}, LogSink());
  const auto plane = backend->load(*memory_source(image.data(), shape), {}, {});
  const auto plan = backend->plan_convolution(spec, shape, Algorithm::fft, {});
  const ConvolvedApart apart = convolve_apart(*backend, *plane, *plan, 1e8, {}, {});
  ASSERT_NE(apart.plane, nullptr);
  EXPECT_GT(apart.pixels, 20U);
  EXPECT_LE(apart.range, kFaintRange);
  Image out(shape);
  backend->render_rows(MapKind::image, *apart.plane, nullptr, 0, shape.ny, out.data());
  EXPECT_LT(largest_difference(out, right, &near), 1e-3);
  EXPECT_LT(largest_difference(out, right), 3e-7 * 1e8);
  EXPECT_GT(largest_difference(convolved("cpu", image, spec, Algorithm::fft), right, &near), 0.5);
}

}  // namespace
}  // namespace reber
