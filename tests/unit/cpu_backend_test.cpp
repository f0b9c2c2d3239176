// SPDX-License-Identifier: BSD-3-Clause
// Promises of the cpu backend alone: the same bits for any number of threads, and limits of its FFT.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/backends.hpp"
#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

std::unique_ptr<Backend> cpu(int threads) {
  BackendOptions options;
  options.threads = threads;
  return make_backend("cpu", options, LogSink{});
}

Kernel random_kernel(Shape shape) {
  Random random(3);
  std::vector<double> weights(static_cast<std::size_t>(shape.count()));
  for (double& weight : weights) weight = 0.1 + random.uniform();
  return custom_kernel(shape, weights, Normalise::sum, "random");
}

Image convolved(Backend& backend, const Image& image, const ConvolutionSpec& spec, Algorithm algorithm) {
  const auto plan = backend.plan_convolution(spec, image.shape(), algorithm);
  return store(backend, *backend.convolve(*load(backend, image), *plan, {}));
}

TEST(cpu_backend, convolution_gives_the_same_bits_for_any_number_of_threads) {
  const Image image = random_image({301, 277}, 0.01, 4);
  const auto one = cpu(1), many = cpu(5);
  for (const Algorithm algorithm : {Algorithm::direct, Algorithm::separable, Algorithm::fft}) {
    const Kernel kernel = algorithm == Algorithm::separable ? box_kernel(9, Normalise::sum) : random_kernel({9, 12});
    const ConvolutionSpec spec{kernel, Boundary::mirror, NanRule::interpolate, 0.5, false};
    EXPECT_TRUE(same_bits(convolved(*one, image, spec, algorithm), convolved(*many, image, spec, algorithm)))
        << to_string(algorithm);
  }
}

TEST(cpu_backend, background_and_islands_are_the_same_for_any_number_of_threads) {
  const Image image = random_image({301, 277}, 0.01, 5);
  const auto one = cpu(1), many = cpu(7);
  const MeshGrid grid = MeshGrid::make(image.shape(), 40);
  const auto plane = load(*one, image), other = load(*many, image);
  const MeshCells cells = one->mesh(*plane, grid, {}, {});
  EXPECT_EQ(cells.rms, many->mesh(*other, grid, {}, {}).rms);
  EXPECT_EQ(one->clip(*plane, {}).std, many->clip(*other, {}).std);
  const BackgroundModel model = finish_mesh(grid, cells, {});
  DetectOptions detect;
  detect.seed = 1.5;
  detect.flood = 0.3;
  const auto islands = one->label(*plane, model, detect, {}), others = many->label(*other, model, detect, {});
  EXPECT_GT(islands->count(), 10);
  EXPECT_EQ(labels_of(*one, *islands), labels_of(*many, *others));
  const auto sums = one->measure(*plane, model, *islands), sums2 = many->measure(*other, model, *others);
  ASSERT_EQ(sums.size(), sums2.size());
  for (std::size_t k = 0; k < sums.size(); ++k) EXPECT_EQ(std::memcmp(&sums[k].s, &sums2[k].s, 6 * sizeof(double)), 0);
}

/// Backgrounds of an image, then of the same without its islands, by one backend or by one that knows nothing of the
/// first.
void expect_cells_anew(const Image& image, const MeshGrid& grid, const MeshOptions& first, std::int64_t grow) {
  const auto knowing = cpu(3), other = cpu(3);
  const auto plane = load(*knowing, image), copy = load(*other, image);
  const auto label = [&](Backend& backend, const Plane& of) {
    const MeshCells cells = backend.mesh(of, MeshGrid::make(image.shape(), 64), first, {});
    DetectOptions detect;
    detect.seed = 3.5, detect.flood = 1;
    return backend.label(of, finish_mesh(MeshGrid::make(image.shape(), 64), cells, first), detect, {});
  };
  const auto islands = label(*knowing, *plane), others = label(*other, *copy);
  ASSERT_GT(islands->count(), 3);
  const MeshCells before = knowing->mesh(*plane, grid, first, {});
  MeshOptions second = first;
  second.centre = 1;
  const auto masked = knowing->derive(WithoutIslands{*plane, *islands, grow}, {});
  const auto fresh = other->derive(WithoutIslands{*copy, *others, grow}, {});
  const MeshCells cells = knowing->mesh(*masked, grid, second, {}), wanted = other->mesh(*fresh, grid, second, {});
  ASSERT_EQ(cells.mean.size(), wanted.mean.size());
  EXPECT_EQ(std::memcmp(cells.mean.data(), wanted.mean.data(), 4 * wanted.mean.size()), 0);
  EXPECT_EQ(std::memcmp(cells.rms.data(), wanted.rms.data(), 4 * wanted.rms.size()), 0);
  EXPECT_NE(std::memcmp(before.rms.data(), wanted.rms.data(), 4 * wanted.rms.size()), 0) << "islands change cells";
}

TEST(cpu_backend, cells_that_islands_do_not_touch_are_those_measured_with_them) {
  Image image = random_image({301, 277}, 0.01, 6);
  Random random(8);
  for (int k = 0; k < 12; ++k) {
    const auto y = static_cast<std::int64_t>(random.uniform() * 300),
               x = static_cast<std::int64_t>(random.uniform() * 276);
    for (std::int64_t i = std::max<std::int64_t>(y - 2, 0); i < std::min<std::int64_t>(y + 3, 301); ++i)
      for (std::int64_t j = std::max<std::int64_t>(x - 2, 0); j < std::min<std::int64_t>(x + 3, 277); ++j)
        image.at(i, j) = 30;
  }
  for (const std::int64_t grow : {0, 3})
    for (const MeshGrid& grid : {MeshGrid::make(image.shape(), 16), MeshGrid::make(image.shape(), 37),
                                 MeshGrid::sliding(image.shape(), 60, 20), MeshGrid::sliding(image.shape(), 35, 7)}) {
      SCOPED_TRACE(::testing::Message() << grid.ny() << " rows of cells, grow " << grow);
      expect_cells_anew(image, grid, {}, grow);
    }
}

TEST(cpu_backend, cells_of_another_plane_or_clip_are_not_taken_for_known) {
  const Image image = random_image({128, 128}, 0.01, 6), louder = random_image({128, 128}, 0.01, 7);
  const auto backend = cpu(2), fresh = cpu(2);
  const MeshGrid grid = MeshGrid::make(image.shape(), 16);
  const auto plane = load(*backend, image), other = load(*backend, louder), alone = load(*fresh, image);
  DetectOptions detect;
  detect.seed = 3.3;
  const BackgroundModel model = BackgroundModel::constant(image.shape(), 0, 1);
  const auto islands = backend->label(*plane, model, detect, {}), same = fresh->label(*alone, model, detect, {});
  MeshOptions tight;
  tight.clip.kappa = 2;
  const auto masked = backend->derive(WithoutIslands{*plane, *islands, 0}, {});
  const auto wanted = fresh->derive(WithoutIslands{*alone, *same, 0}, {});
  (void)backend->mesh(*other, grid, {}, {});
  EXPECT_EQ(backend->mesh(*masked, grid, {}, {}).rms, fresh->mesh(*wanted, grid, {}, {}).rms);
  (void)backend->mesh(*plane, grid, tight, {});
  EXPECT_EQ(backend->mesh(*masked, grid, {}, {}).rms, fresh->mesh(*wanted, grid, {}, {}).rms);
}

TEST(cpu_backend, an_fft_of_an_image_with_a_large_offset_rounds_as_the_noise_does) {
  Image image = random_image({200, 200}, 0, 6);
  for (std::int64_t k = 0; k < image.shape().count(); ++k) image.data()[k] = 1e4f + std::min(image.data()[k], 5.0f);
  const auto backend = cpu(2);
  const ConvolutionSpec spec{random_kernel({21, 21}), Boundary::reflect, NanRule::fill, 0.5, false};
  const Image fft = convolved(*backend, image, spec, Algorithm::fft);
  const Image direct = convolved(*backend, image, spec, Algorithm::direct);
  // Half an ulp of 1e4 is 4.9e-4; the direct sum of 441 terms rounds a few times that.
  double worst = 0;
  for (std::int64_t k = 0; k < image.shape().count(); ++k)
    worst = std::max(worst, std::abs(static_cast<double>(fft.data()[k]) - static_cast<double>(direct.data()[k])));
  EXPECT_LT(worst, 0.02);
}

TEST(cpu_backend, with_least_weight_one_only_outputs_that_meet_a_blank_are_blank) {
  Image image = random_image({60, 60}, 0, 7);
  image.at(30, 20) = std::nanf("");
  const auto backend = cpu(2);
  for (const Algorithm algorithm : {Algorithm::direct, Algorithm::separable, Algorithm::fft}) {
    const ConvolutionSpec spec{box_kernel(7, Normalise::sum), Boundary::reflect, NanRule::interpolate, 1, false};
    const Image out = convolved(*backend, image, spec, algorithm);
    for (std::int64_t y = 0; y < 60; ++y)
      for (std::int64_t x = 0; x < 60; ++x)
        ASSERT_EQ(std::isnan(out.at(y, x)), std::abs(y - 30) <= 3 && std::abs(x - 20) <= 3)
            << to_string(algorithm) << " y " << y << " x " << x;
  }
}

TEST(cpu_backend, a_kernel_of_zero_sum_takes_blanks_as_zero) {
  Image image = random_image({50, 50}, 0, 8);
  image.at(25, 25) = std::nanf("");
  const auto backend = cpu(2);
  ConvolutionSpec spec{mexican_hat_kernel(1.5, Normalise::none), Boundary::zero, NanRule::interpolate, 0.5, false};
  const Image interpolated = convolved(*backend, image, spec, Algorithm::direct);
  spec.nan = NanRule::fill;
  EXPECT_TRUE(same_bits(interpolated, convolved(*backend, image, spec, Algorithm::direct)));
}

}  // namespace
}  // namespace reber::testing
