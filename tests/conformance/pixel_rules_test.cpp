// SPDX-License-Identifier: BSD-3-Clause
// Rules of a pixel at their edges: shared ones against the reference's own.
#include <gtest/gtest.h>

#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

Image convolved(const std::string& name, const Image& image, const ConvolutionSpec& spec) {
  Backend& by = backend(name);
  return store(by, *by.convolve(*load(by, image), *by.plan_convolution(spec, image.shape(), Algorithm::direct)));
}

/// Pixels that are blank in one image alone.
std::int64_t blanks_apart(const Image& a, const Image& b) {
  std::int64_t apart = 0;
  for (std::int64_t i = 0; i < a.shape().count(); ++i) apart += std::isnan(a.data()[i]) != std::isnan(b.data()[i]);
  return apart;
}

TEST(PixelRules, an_output_with_too_little_weight_is_blank_everywhere) {
  const Image image = random_image({90, 101}, 0.3, 5);
  ConvolutionSpec spec{gaussian_kernel({4, 3, 20}, Normalise::sum), Boundary::reflect};
  spec.min_weight = 0.7;
  const Image expected = convolved("reference", image, spec);
  EXPECT_GT(std::count_if(expected.data(), expected.data() + image.shape().count(),
                          [](float value) { return std::isnan(value); }),
            100);
  for (const std::string& name : tested_backends())
    EXPECT_EQ(blanks_apart(convolved(name, image, spec), expected), 0) << name;
}

TEST(PixelRules, a_kernel_whose_weights_cancel_takes_blanks_as_zero) {
  const Image image = random_image({60, 71}, 0.1, 6);
  Kernel kernel;
  kernel.shape = {3, 3};
  kernel.weights = {-1, 1, 0.1, -2, 4, -2, 0.2, 1, -1.2999999};  // 1e-7 is left
  const ConvolutionSpec spec{kernel, Boundary::reflect};
  const Image expected = convolved("reference", image, spec);
  for (const std::string& name : tested_backends()) {
    const Image got = convolved(name, image, spec);
    EXPECT_EQ(blanks_apart(got, expected), 0) << name;
    for (std::int64_t i = 0; i < image.shape().count(); ++i)
      ASSERT_NEAR(got.data()[i], expected.data()[i], 1e-4) << name << ", pixel " << i;
  }
}

TEST(PixelRules, without_noise_there_is_no_signal_to_noise_anywhere) {
  const Image image = random_image({50, 61}, 0.05, 7);
  BackgroundModel model = BackgroundModel::constant(image.shape(), 0.25f, 0);
  const auto map_by = [&](const std::string& name) {
    Backend& by = backend(name);
    return render(by, MapKind::snr, *load(by, image), model);
  };
  for (const std::string& name : tested_backends()) EXPECT_TRUE(same_bits(map_by(name), map_by("reference"))) << name;
}

}  // namespace
}  // namespace reber::testing
