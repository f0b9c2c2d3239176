// SPDX-License-Identifier: BSD-3-Clause
// FFT convolution with every length of transform that the CUDA backend has, along rows and along columns; and of images
// near the ends of what a float can hold.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tests/support/each_variant.hpp"
#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

Kernel random_kernel(Shape shape) {
  Random random(static_cast<std::uint64_t>(shape.count()));
  std::vector<double> weights(static_cast<std::size_t>(shape.count()));
  for (double& weight : weights) weight = 0.1 + random.uniform();
  return custom_kernel(shape, std::move(weights), Normalise::sum, "random");
}

Image convolved(Backend& backend, const Image& image, const ConvolutionSpec& spec, Algorithm algorithm,
                std::string& description, std::int64_t band_rows = 0) {
  const auto plane = load(backend, image, band_rows);
  const auto plan = backend.plan_convolution(spec, image.shape(), algorithm);
  description = plan->description();
  return store(backend, *backend.convolve(*plane, *plan, {}));
}

/// docs/numerics.md#convolve: an FFT errs by 1e-6 of the brightest pixel where the weights sum to 1; the reference's
/// own error is nothing beside it. With a twentieth of the pixels blank more than half of the weight is left: twice
/// that for the division by it, and as much again for the weight's own error of 2e-6.
double bound_of(const Image& image, NanRule rule) {
  double brightest = 0;
  for (std::int64_t i = 0; i < image.shape().count(); ++i)
    if (std::isfinite(image.data()[i])) brightest = std::max(brightest, std::abs(static_cast<double>(image.data()[i])));
  return brightest * (rule == NanRule::interpolate ? 6e-6 : 1e-6);
}

/// Image and kernel so that the kernel leaves 61 outputs to a line of this length, along y or x, and the image needs
/// two such tiles: one pair, so that no longer line is cheaper.
void check_length(std::int64_t length, bool along_y, NanRule rule) {
  const Shape long_kernel = along_y ? Shape{length - 60, 3} : Shape{3, length - 60};
  const Image image = random_image(along_y ? Shape{120, 12} : Shape{12, 120}, 0.05, 7);
  ConvolutionSpec spec;
  spec.kernel = random_kernel(long_kernel);
  spec.boundary = Boundary::wrap;
  spec.nan = rule;
  std::string description;
  const Image expected = convolved(backend("reference"), image, spec, Algorithm::direct, description);
  const std::vector<double> bounds(static_cast<std::size_t>(image.shape().count()), bound_of(image, rule));
  for (const std::string& name : tested_backends()) {
    SCOPED_TRACE(
        fmt::format("{}, kernel {} x {}, {}", name, spec.kernel.shape.nx, spec.kernel.shape.ny, to_string(rule)));
    const ConvolutionSpec lines = by_variant(backend(name), spec, image.shape(), Algorithm::fft, "lines");
    const Image got = convolved(backend(name), image, lines, Algorithm::fft, description);
    if (name == "cuda") {
      const std::string wanted = along_y ? fmt::format(" x {} pixels", length) : fmt::format("of {} x ", length);
      EXPECT_NE(description.find(wanted), std::string::npos) << "another length was taken: " << description;
    }
    EXPECT_TRUE(close_images(got, expected, bounds));
  }
}

class FftLengths : public ::testing::TestWithParam<int> {};

TEST_P(FftLengths, agree_with_the_reference_along_rows_and_columns) {
  for (const bool along_y : {false, true})
    for (const NanRule rule : {NanRule::fill, NanRule::interpolate}) check_length(GetParam(), along_y, rule);
}

TEST(FftLines, an_offset_costs_no_precision_where_a_tile_is_larger_than_the_image) {
  Image image = random_image({300, 310}, 0, 6);
  for (std::int64_t k = 0; k < image.shape().count(); ++k) image.data()[k] = 1e4f + std::min(image.data()[k], 5.0f);
  ConvolutionSpec spec;
  spec.kernel = gaussian_kernel({400, 30, 200}, Normalise::sum);
  spec.boundary = Boundary::reflect;
  std::string description;
  const Image expected = convolved(backend("reference"), image, spec, Algorithm::direct, description);
  for (const std::string& name : tested_backends()) {
    SCOPED_TRACE(name);
    // Half an ulp of 1e4 is 4.9e-4, and sums round a few times that.
    const ConvolutionSpec lines = by_variant(backend(name), spec, image.shape(), Algorithm::fft, "lines");
    EXPECT_TRUE(close_images(convolved(backend(name), image, lines, Algorithm::fft, description), expected, {0.004}));
  }
}

/// Each pixel times 2^power.
Image scaled(const Image& image, int power) {
  Image result = image.clone();
  for (std::int64_t k = 0; k < result.shape().count(); ++k) result.data()[k] = std::ldexp(result.data()[k], power);
  return result;
}

struct ExtremeCase {
  int power;
  double blank;
  NanRule rule;
};

/// The brightest pixel is 200: 2^118 of that is a fourth of the largest float, and a sum over the tile beyond it; in
/// 2^-118 of it, a transform's parts would lose digits. The pixels themselves lose none: they are multiples of 2^-20.
void expect_scaled_bits(const std::string& name, const std::string& variant, const ExtremeCase& extreme,
                        const Kernel& kernel) {
  Image image = random_image({300, 333}, extreme.blank, 8);
  for (std::int64_t k = 0; k < image.shape().count(); ++k)
    image.data()[k] = std::ldexp(std::rint(std::ldexp(image.data()[k], 20)), -20);
  ConvolutionSpec spec;
  spec.kernel = kernel;
  spec.boundary = Boundary::reflect;
  spec.nan = extreme.rule;
  spec = by_variant(backend(name), spec, image.shape(), Algorithm::fft, variant);
  std::string description;
  for (const std::int64_t band_rows : {0, 130}) {
    SCOPED_TRACE(fmt::format("{} {}, 2^{}, {} x {} weights, bands of {}", name, variant, extreme.power, kernel.shape.nx,
                             kernel.shape.ny, band_rows));
    const Image ordinary = convolved(backend(name), image, spec, Algorithm::fft, description, band_rows);
    const Image got =
        convolved(backend(name), scaled(image, extreme.power), spec, Algorithm::fft, description, band_rows);
    EXPECT_TRUE(same_bits(got, scaled(ordinary, extreme.power)));
  }
}

TEST(FftRange, extreme_images_have_the_bits_of_ordinary_ones_times_a_power_of_two) {
  const ExtremeCase cases[] = {{118, 0, NanRule::fill},
                               {118, 0.05, NanRule::interpolate},
                               {118, 0.001, NanRule::propagate},
                               {-118, 0, NanRule::fill}};
  for (const std::string& name : tested_backends())
    for (const char* variant : {"tile", "lines"})
      for (const ExtremeCase& extreme : cases)
        for (const Shape kernel : {Shape{9, 11}, Shape{41, 37}})
          expect_scaled_bits(name, variant, extreme, random_kernel(kernel));
}

INSTANTIATE_TEST_SUITE_P(lines, FftLengths, ::testing::Values(512, 1024, 1536, 2048, 3072, 4096));

}  // namespace
}  // namespace reber::testing
