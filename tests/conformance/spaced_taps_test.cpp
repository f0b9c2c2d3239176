// SPDX-License-Identifier: BSD-3-Clause
// Separable kernels of five taps with zeros between them: the bits of a sum over every weight, zeros included.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "tests/support/each_variant.hpp"
#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

/// Five random taps each way, `step` apart.
Kernel spaced_kernel(std::int64_t step, std::uint64_t seed) {
  Random random(seed);
  const auto factor = [&] {
    std::vector<double> weights(static_cast<std::size_t>(4 * step + 1), 0.0);
    for (std::size_t k = 0; k < 5; ++k) weights[k * static_cast<std::size_t>(step)] = 0.05 + 0.2 * random.uniform();
    return weights;
  };
  Kernel kernel;
  kernel.shape = {4 * step + 1, 4 * step + 1};
  kernel.column = factor();
  kernel.row = factor();
  for (const double y : kernel.column)
    for (const double x : kernel.row) kernel.weights.push_back(y * x);
  kernel.text = fmt::format("five taps, {} apart", step);
  return kernel;
}

/// Along x, rounded to float, then along y: all weights, zeros outside the image. Finite pixels alone.
Image dense_sum(const Image& image, const Kernel& kernel) {
  const auto [ny, nx] = image.shape();
  const auto taps = static_cast<std::int64_t>(kernel.row.size()), half = taps / 2;
  const auto weight = [](const std::vector<double>& factor, std::int64_t k) {
    return static_cast<float>(factor[static_cast<std::size_t>(k)]);
  };
  Image middle({ny, nx}), out({ny, nx});
  for (std::int64_t y = 0; y < ny; ++y)
    for (std::int64_t x = 0; x < nx; ++x) {
      float sum = 0;
      for (std::int64_t k = 0; k < taps; ++k) {
        const std::int64_t at = x + half - k;
        sum = std::fma(weight(kernel.row, k), at >= 0 && at < nx ? image.at(y, at) : 0.0f, sum);
      }
      middle.at(y, x) = sum;
    }
  for (std::int64_t y = 0; y < ny; ++y)
    for (std::int64_t x = 0; x < nx; ++x) {
      float sum = 0;
      for (std::int64_t k = 0; k < taps; ++k) {
        const std::int64_t at = y + half - k;
        sum = std::fma(weight(kernel.column, k), at >= 0 && at < ny ? middle.at(at, x) : 0.0f, sum);
      }
      out.at(y, x) = sum;
    }
  return out;
}

Image smoothed(Backend& tested, const Image& image, const ConvolutionSpec& spec, std::int64_t band = 0) {
  const auto plane = load(tested, image, band);
  const auto plan = tested.plan_convolution(spec, image.shape(), Algorithm::separable);
  return store(tested, *tested.convolve(*plane, *plan, {}));
}

TEST(SpacedTaps, zeros_between_the_taps_change_no_bit) {
  for (const Shape shape : {Shape{90, 341}, Shape{203, 151}, Shape{1, 70}}) {
    const Image image = random_image(shape, 0, 3);
    for (const std::int64_t step : {2, 3, 4, 8, 16, 31, 64, 128, 130}) {
      SCOPED_TRACE(fmt::format("{} x {}, step {}", shape.ny, shape.nx, step));
      const ConvolutionSpec spec{spaced_kernel(step, 4)};
      const Image expected = dense_sum(image, spec.kernel);
      for (const std::string& name : tested_backends())
        for (const std::int64_t band : {0, 40})
          EXPECT_TRUE(same_bits(smoothed(backend(name), image, spec, band), expected)) << name << " band " << band;
    }
  }
}

TEST(SpacedTaps, near_the_reference_and_the_same_bits_on_every_backend_for_every_boundary_and_blanks) {
  for (const double blank : {0.0, 0.01})
    for (const Shape shape : {Shape{70, 301}, Shape{160, 131}}) {
      const Image image = random_image(shape, blank, 5);
      double brightest = 0;
      for (std::int64_t i = 0; i < shape.count(); ++i)
        if (std::isfinite(image.data()[i])) brightest = std::max(brightest, std::abs(double{image.data()[i]}));
      for (const std::int64_t step : {2, 6, 12})
        for (const Boundary boundary : {Boundary::zero, Boundary::reflect, Boundary::wrap, Boundary::blank}) {
          SCOPED_TRACE(
              fmt::format("blank {}, {} x {}, step {}, {}", blank, shape.ny, shape.nx, step, to_string(boundary)));
          ConvolutionSpec spec{spaced_kernel(step, 6), boundary};
          spec.keep_blanks = true;
          Backend& reference = backend("reference");
          const auto plan = reference.plan_convolution(spec, shape, Algorithm::direct);
          const Image wanted = store(reference, *reference.convolve(*load(reference, image), *plan, {}));
          const Image first = smoothed(backend("cpu"), image, spec);
          // (2 n + 8) u of docs/numerics.md, n = 10; interpolation divides by half of the weight at least.
          EXPECT_TRUE(close_images(first, wanted, {2 * 28 * 0x1p-24 * brightest * spec.kernel.sum()}));
          for (const std::string& name : tested_backends())
            for (const std::int64_t band : {0, 30})
              EXPECT_TRUE(same_bits(smoothed(backend(name), image, spec, band), first)) << name << " band " << band;
        }
    }
}

// A plan made later asks for less of what the kernels of both share: lanes of a batch do so at any time.
TEST(SpacedTaps, a_plan_serves_after_others_were_made) {
  const Image image = random_image({300, 1100}, 0.01, 11);
  for (const std::string& name : tested_backends()) {
    const ConvolutionSpec wide{spaced_kernel(32, 3), Boundary::zero}, narrow{spaced_kernel(2, 3), Boundary::zero};
    const auto plan_of = [&](const ConvolutionSpec& spec) {
      return backend(name).plan_convolution(spec, image.shape(), Algorithm::separable);
    };
    const auto plane = load(backend(name), image);
    const auto first = plan_of(wide), second = plan_of(narrow);
    for (const auto& [plan, spec] : {std::pair{first.get(), &wide}, {second.get(), &narrow}, {first.get(), &wide}})
      EXPECT_TRUE(same_bits(store(backend(name), *backend(name).convolve(*plane, *plan)),
                            smoothed(backend("cpu"), image, *spec)))
          << name;
  }
}

/// What tests/gpu/sanitize.sh runs under checkers.
TEST(SpacedTaps, few_of_each_kind) {
  for (const double blank : {0.0, 0.02})
    for (const std::int64_t step : {2, 3, 4, 128}) {
      const Image image = random_image({40, 1100}, blank, 7);
      const ConvolutionSpec spec{spaced_kernel(step, 8), Boundary::mirror};
      const Image expected = smoothed(backend("cpu"), image, spec);
      for (const std::string& name : tested_backends())
        for_each_variant(backend(name), spec, image.shape(), [&](const ConvolutionSpec& named, Algorithm algorithm) {
          if (algorithm != Algorithm::separable) return;
          EXPECT_TRUE(same_bits(smoothed(backend(name), image, named, 30), expected)) << " step " << step;
        });
    }
}

}  // namespace
}  // namespace reber::testing
