// SPDX-License-Identifier: BSD-3-Clause
// The noise's autocorrelation: summed where a backend's planes lie or by the host, and by two loops in double.
#include "core/seam/compute/noise_sums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "core/measure/sources/measured_noise.hpp"
#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

/// Noise with blanks, a bright and a dark patch, and lone pixels far below the noise.
Image noise_with_sources(Shape shape, double blank_fraction, std::uint64_t seed) {
  Image image = random_image(shape, blank_fraction, seed);
  const std::int64_t y0 = shape.ny / 3, x0 = shape.nx / 4;
  for (std::int64_t y = 0; y < 7; ++y)
    for (std::int64_t x = 0; x < 9; ++x) {
      image.at(y0 + y, x0 + x) = 40;
      image.at(shape.ny - 9 + y, shape.nx - 11 + x) = -35;
    }
  for (std::int64_t k = 0; k < shape.ny; k += 29) image.at(k, k * 7 % shape.nx) = -20;
  return image;
}

Rect whole(Shape image) { return {0, 0, image.ny, image.nx}; }

struct Measured {
  MeasuredCorrelation correlation;
  Image snr;
  LabelRuns labels;
};

constexpr float kLimit = 5;

Measured measured_by(const std::string& name, const Image& image, const BackgroundModel& model, std::int64_t reach,
                     std::int64_t grow) {
  Backend& by = backend(name);
  const auto plane = load(by, image);
  DetectOptions options;
  options.seed = kLimit;
  const auto islands = by.label(*plane, model, options);
  ThreadPool pool(2);
  return {measure_noise_correlation({by, *plane, model, *islands}, reach, kLimit, grow, pool, {}),
          render(by, MapKind::snr, *plane, model), by.label_runs(*islands)};
}

/// Whether each pixel of a patch is noise: no marked pixel of the patch's rows is within `grow` of it.
std::vector<bool> noise_of(const Measured& of, const Rect& where, std::int64_t grow) {
  Image marked(of.snr.shape());
  for (std::int64_t y = 0; y < marked.shape().ny; ++y)
    for (std::int64_t x = 0; x < marked.shape().nx; ++x) marked.at(y, x) = std::abs(of.snr.at(y, x)) > kLimit ? 1 : 0;
  for (const LabelRuns::Run& run : of.labels.runs)
    for (std::int64_t x = run.x0; x < run.x1; ++x) marked.at(run.y, x) = 1;
  std::vector<bool> noise;
  for (std::int64_t y = where.y0; y < where.y0 + where.ny; ++y)
    for (std::int64_t x = where.x0; x < where.x0 + where.nx; ++x) {
      bool is = std::isfinite(of.snr.at(y, x));
      for (std::int64_t v = std::max(where.y0, y - grow); v < std::min(where.y0 + where.ny, y + grow + 1); ++v)
        for (std::int64_t u = std::max<std::int64_t>(0, x - grow); u < std::min(marked.shape().nx, x + grow + 1); ++u)
          is = is && marked.at(v, u) == 0;
      noise.push_back(is);
    }
  return noise;
}

/// The correlation at one offset by its definition.   noise: of each patch
double correlation_at(const Image& snr, const std::vector<std::vector<bool>>& noise_in, std::int64_t dy,
                      std::int64_t dx) {
  double product = 0, count = 0, square = 0, all = 0;
  std::size_t patch = 0;
  for (const Rect& where : noise_patches(whole(snr.shape()))) {
    const std::vector<bool>& noise = noise_in[patch++];
    const auto is = [&](std::int64_t y, std::int64_t x) { return noise[static_cast<std::size_t>(y * where.nx + x)]; };
    const auto value = [&](std::int64_t y, std::int64_t x) {
      return static_cast<double>(snr.at(where.y0 + y, where.x0 + x));
    };
    for (std::int64_t y = 0; y < where.ny; ++y)
      for (std::int64_t x = 0; x < where.nx; ++x) {
        if (!is(y, x)) continue;
        square += value(y, x) * value(y, x), all += 1;
        const std::int64_t v = y + dy, u = x + dx;
        if (v >= where.ny || u < 0 || u >= where.nx || !is(v, u)) continue;
        product += value(y, x) * value(v, u), count += 1;
      }
  }
  return product / count / (square / all);
}

BackgroundModel mesh_model(Backend& by, const Image& image, std::int64_t box) {
  const MeshGrid grid = MeshGrid::make(image.shape(), box);
  return finish_mesh(grid, by.mesh(*load(by, image), grid, {}, {}), {});
}

class NoiseOfImages : public ::testing::TestWithParam<Shape> {};

TEST_P(NoiseOfImages, has_the_same_bits_everywhere_and_is_right) {
  const Shape shape = GetParam();
  for (const auto& [reach, grow, blanks] :
       {std::tuple<std::int64_t, std::int64_t, double>{5, 3, 0.0}, {9, 2, 0.02}, {21, 10, 0.001}, {44, 20, 0.0}}) {
    const Image image = noise_with_sources(shape, blanks, 77);
    for (const bool constant : {true, false}) {
      const BackgroundModel model =
          constant ? BackgroundModel::constant(shape, 0.01F, 1.1F) : mesh_model(backend("cpu"), image, 40);
      const Measured expected = measured_by("cpu", image, model, reach, grow);
      for (const std::string& name : tested_backends()) {
        SCOPED_TRACE(fmt::format("{}, {} x {}, reach {}, grow {}, constant {}", name, shape.ny, shape.nx, reach, grow,
                                 constant));
        const Measured got = measured_by(name, image, model, reach, grow);
        EXPECT_EQ(got.correlation.pixels, expected.correlation.pixels);
        EXPECT_EQ(got.correlation.correlation.values(), expected.correlation.correlation.values());
      }
      if (expected.correlation.pixels == 0) continue;
      std::vector<std::vector<bool>> noise;
      for (const Rect& where : noise_patches(whole(shape))) noise.push_back(noise_of(expected, where, grow));
      for (const auto& [dy, dx] : {std::pair<std::int64_t, std::int64_t>{0, 0}, {0, 3}, {2, -4}, {5, 5}, {1, 0}})
        EXPECT_NEAR(expected.correlation.correlation.at(dy, dx), correlation_at(expected.snr, noise, dy, dx), 1e-5);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(sizes, NoiseOfImages,
                         ::testing::Values(Shape{150, 420}, Shape{64, 50}, Shape{301, 127}, Shape{40, 60}),
                         [](const auto& of) { return fmt::format("{}x{}", of.param.ny, of.param.nx); });

TEST(NoiseOfPlanes, a_card_sums_where_the_plane_lies) {
  for (const std::string& name : tested_backends()) {
    if (name != "cuda") continue;
    const Image image = noise_with_sources({300, 300}, 0.01, 5);
    Backend& card = backend(name);
    const auto plane = load(card, image), streamed = load(card, image, 100);
    const BackgroundModel model = BackgroundModel::constant(image.shape(), 0, 1);
    const auto islands = card.label(*plane, model, DetectOptions{});
    const NoiseQuestion question{noise_patches(whole(image.shape())), 4, kLimit, 3};
    EXPECT_TRUE(card.noise_sums(*plane, model, *islands, question, {}).has_value());
    EXPECT_FALSE(card.noise_sums(*streamed, model, *card.label(*streamed, model, DetectOptions{}), question, {}));
  }
}

}  // namespace
}  // namespace reber::testing
