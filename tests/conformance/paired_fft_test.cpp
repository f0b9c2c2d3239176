// SPDX-License-Identifier: BSD-3-Clause
// The processor's transforms of two tiles at a time: tiles in pairs and alone, at all edges, against the reference; and
// the same bits in bands.
#include <fmt/format.h>

#include <cmath>

#include "tests/conformance/streamed_planes.hpp"

namespace reber::testing {
namespace {

constexpr double kBound = 1e-6;  // of the brightest pixel and the sum of the weights' absolute values

/// Weights without any symmetry, of both signs.
Kernel lopsided(Shape shape) {
  std::vector<double> weights(static_cast<std::size_t>(shape.count()));
  for (std::int64_t i = 0; i < shape.ny; ++i)
    for (std::int64_t j = 0; j < shape.nx; ++j)
      weights[static_cast<std::size_t>(i * shape.nx + j)] =
          std::exp(-0.001 * static_cast<double>(i * i + 2 * j * j)) * std::cos(0.3 * static_cast<double>(i - j));
  return custom_kernel(shape, weights, Normalise::none, "lopsided");
}

double absolute_sum(const Kernel& kernel) {
  double sum = 0;
  for (const double weight : kernel.weights) sum += std::abs(weight);
  return sum;
}

TEST(PairedFft, agrees_with_the_reference_at_all_edges_and_has_its_bits_in_bands) {
  if (std::ranges::count(tested_backends(), "cpu") == 0) GTEST_SKIP();
  Backend& tested = backend("cpu");
  for (const Shape shape : {Shape{470, 1103}, Shape{231, 464}}) {
    const bool large = shape.ny > 256;
    const Image image = random_image(shape, 0, 41);
    float largest = 0;
    for (std::int64_t k = 0; k < shape.count(); ++k) largest = std::max(largest, std::abs(image.data()[k]));
    for (const Shape size : {Shape{25, 23}, Shape{24, 31}, Shape{3, 90}, Shape{101, 2}})
      for (const Boundary boundary : {Boundary::zero, Boundary::reflect, Boundary::wrap}) {
        if (large && (size.ny != 25 || boundary != Boundary::reflect)) continue;  // the reference takes its time
        const ConvolutionSpec spec{lopsided(size), boundary};
        const auto plan = tested.plan_convolution(spec, shape, Algorithm::fft);
        SCOPED_TRACE(fmt::format("{} x {} pixels, {} x {} weights, {}: {}", shape.ny, shape.nx, size.ny, size.nx,
                                 to_string(boundary), plan->description()));
        EXPECT_NE(plan->description().find("pairs of tiles"), std::string::npos);
        Backend& reference = backend("reference");
        const auto exact_plan = reference.plan_convolution(spec, shape, Algorithm::direct);
        const Image exact = store(reference, *reference.convolve(*load(reference, image), *exact_plan));
        const Image got = store(tested, *tested.convolve(*load(tested, image), *plan));
        double worst = 0;
        for (std::int64_t k = 0; k < shape.count(); ++k)
          if (const double error = std::abs(double{got.data()[k]} - exact.data()[k]); !(error <= worst)) worst = error;
        EXPECT_TRUE(worst <= kBound * largest * absolute_sum(spec.kernel)) << worst;
        const auto bands = streamed(tested, std::make_shared<CountedSource>(image), 100);
        EXPECT_TRUE(same_bits(store(tested, *tested.convolve(*bands, *plan)), got));
      }
  }
}

TEST(PairedFft, an_offset_and_extreme_values_cost_no_precision) {
  if (std::ranges::count(tested_backends(), "cpu") == 0) GTEST_SKIP();
  Backend& tested = backend("cpu");
  const Shape shape{470, 900};
  const ConvolutionSpec spec{gaussian_kernel({11, 9, 30}, Normalise::sum), Boundary::reflect};
  const auto plan = tested.plan_convolution(spec, shape, Algorithm::fft);
  ASSERT_NE(plan->description().find("pairs of tiles"), std::string::npos);
  Image constant(shape);
  for (const float value : {1e4f, 3e38f, 1e-37f}) {
    std::fill_n(constant.data(), shape.count(), value);
    const Image got = store(tested, *tested.convolve(*load(tested, constant), *plan));
    for (std::int64_t k = 0; k < shape.count(); k += 97)
      ASSERT_TRUE(std::abs(got.data()[k] / value - 1) <= 1e-6f) << k << " of " << value << ": " << got.data()[k];
  }
}

}  // namespace
}  // namespace reber::testing
