// SPDX-License-Identifier: BSD-3-Clause
// What a convolution must do whatever the reference says: impulses, flux, shifts, flips, tiles; and published cases.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "tests/support/convolution_cases.hpp"
#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

Image convolved(Backend& backend, const Image& image, const ConvolutionSpec& spec, Algorithm algorithm,
                std::int64_t band_rows = 0) {
  const auto plane = load(backend, image, band_rows);
  const auto plan = backend.plan_convolution(spec, image.shape(), algorithm);
  return store(backend, *backend.convolve(*plane, *plan, {}));
}

/// Calls body(backend, algorithm) for the reference and every tested backend's possible algorithms.
template <typename Body>
void for_each_algorithm(const ConvolutionSpec& spec, Shape shape, Body body) {
  std::vector<std::string> names = tested_backends();
  names.emplace_back("reference");
  for (const std::string& name : names)
    for (const ConvolutionQuote& quote : backend(name).quote(spec, shape))
      if (quote.possible) {
        SCOPED_TRACE(fmt::format("{} {}", name, to_string(quote.algorithm)));
        body(backend(name), quote.algorithm);
      }
}

Image impulse(Shape shape, std::int64_t y, std::int64_t x) {
  Image image(shape);
  std::fill_n(image.data(), shape.count(), 0.0f);
  image.at(y, x) = 1;
  return image;
}

TEST(Convolution, impulse_returns_the_kernel_for_even_and_odd_shapes) {
  for (const Shape size : {Shape{3, 3}, Shape{2, 2}, Shape{4, 5}, Shape{6, 3}}) {
    std::vector<double> weights(static_cast<std::size_t>(size.count()));
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = 1.0 + static_cast<double>(i);
    const ConvolutionSpec spec{custom_kernel(size, weights, Normalise::none, "ramp")};
    for_each_algorithm(spec, {24, 24}, [&](Backend& tested, Algorithm algorithm) {
      const Image got = convolved(tested, impulse({24, 24}, 11, 12), spec, algorithm);
      for (std::int64_t i = 0; i < size.ny; ++i)
        for (std::int64_t j = 0; j < size.nx; ++j)
          EXPECT_NEAR(got.at(11 + i - size.ny / 2, 12 + j - size.nx / 2),
                      weights[static_cast<std::size_t>(i * size.nx + j)], 1e-4);
    });
  }
}

TEST(Convolution, flux_of_a_source_away_from_edges_is_kept) {
  const ConvolutionSpec spec{gaussian_kernel({49, 0, 25}, Normalise::sum)};
  for_each_algorithm(spec, {96, 96}, [&](Backend& tested, Algorithm algorithm) {
    const Image got = convolved(tested, impulse({96, 96}, 47, 50), spec, algorithm);
    double sum = 0;
    for (std::int64_t i = 0; i < got.shape().count(); ++i) sum += got.data()[i];
    EXPECT_NEAR(sum, 1.0, 1e-5);
  });
}

TEST(Convolution, an_fft_of_an_image_with_a_large_offset_rounds_as_the_noise_does) {
  // Kernels of 17 to 87 pixels for tiles of several sizes. Half an ulp of 1e4 is 4.9e-4, and sums round a few times
  // that.
  for (const Covariance& widths : {Covariance{16, 0, 9}, Covariance{49, 6, 25}, Covariance{400, 30, 200}}) {
    Image image = random_image({300, 310}, 0, 6);
    for (std::int64_t k = 0; k < image.shape().count(); ++k) image.data()[k] = 1e4f + std::min(image.data()[k], 5.0f);
    const ConvolutionSpec spec{gaussian_kernel(widths, Normalise::sum), Boundary::reflect, NanRule::fill};
    const Image expected = convolved(backend("reference"), image, spec, Algorithm::direct);
    for (const std::string& name : tested_backends()) {
      SCOPED_TRACE(name);
      EXPECT_TRUE(close_images(convolved(backend(name), image, spec, Algorithm::fft), expected, {0.004}));
    }
  }
}

TEST(Convolution, an_edge_never_wraps_unless_asked) {
  ConvolutionSpec spec{gaussian_kernel({100, 0, 100}, Normalise::sum)};
  for (const Boundary boundary : {Boundary::zero, Boundary::reflect, Boundary::nearest, Boundary::wrap}) {
    spec.boundary = boundary;
    for_each_algorithm(spec, {65, 65}, [&](Backend& tested, Algorithm algorithm) {
      const Image got = convolved(tested, impulse({65, 65}, 32, 0), spec, algorithm);
      EXPECT_EQ(got.at(32, 64) > 1e-3, boundary == Boundary::wrap) << got.at(32, 64);
    });
  }
}

TEST(Convolution, shifts_and_flips_commute) {
  const Shape shape{80, 70};
  const Image image = random_image(shape, 0, 5);
  const ConvolutionSpec spec{gaussian_kernel({20, 6, 12}, Normalise::sum), Boundary::wrap};
  ConvolutionSpec flipped_spec = spec;
  std::ranges::reverse(flipped_spec.kernel.weights);
  Image shifted(shape), flipped(shape);
  for (std::int64_t y = 0; y < shape.ny; ++y)
    for (std::int64_t x = 0; x < shape.nx; ++x) {
      shifted.at((y + 13) % shape.ny, (x + 29) % shape.nx) = image.at(y, x);
      flipped.at(shape.ny - 1 - y, shape.nx - 1 - x) = image.at(y, x);
    }
  for_each_algorithm(spec, shape, [&](Backend& tested, Algorithm algorithm) {
    const Image plain = convolved(tested, image, spec, algorithm);
    const Image moved = convolved(tested, shifted, spec, algorithm);
    const Image mirrored = convolved(tested, flipped, flipped_spec, algorithm);
    for (std::int64_t y = 0; y < shape.ny; ++y)
      for (std::int64_t x = 0; x < shape.nx; ++x) {
        ASSERT_NEAR(moved.at((y + 13) % shape.ny, (x + 29) % shape.nx), plain.at(y, x), 1e-4);
        ASSERT_NEAR(mirrored.at(shape.ny - 1 - y, shape.nx - 1 - x), plain.at(y, x), 1e-4);
      }
  });
}

TEST(Convolution, streamed_in_bands_equals_resident_to_the_bit) {
  const Image image = random_image({203, 150}, 0.02, 9);
  for (const Kernel& kernel :
       {gaussian_kernel({20, 6, 12}, Normalise::sum), gaussian_kernel({30, 0, 14}, Normalise::sum)}) {
    for (const Boundary boundary : {Boundary::zero, Boundary::reflect, Boundary::wrap}) {
      const ConvolutionSpec spec{kernel, boundary};
      for_each_algorithm(spec, image.shape(), [&](Backend& tested, Algorithm algorithm) {
        const Image whole = convolved(tested, image, spec, algorithm);
        const Image banded = convolved(tested, image, spec, algorithm, 37);
        if (algorithm == Algorithm::fft) {
          // Tiles fall elsewhere, so rounding differs: held to the FFT bound instead.
          EXPECT_TRUE(close_images(banded, whole, {1e-6 * 200}));
        } else {
          EXPECT_TRUE(same_bits(banded, whole));
        }
      });
    }
  }
}

TEST(Convolution, direct_and_separable_give_the_same_bits_on_every_backend) {
  const auto names = tested_backends();
  const Image image = random_image({190, 333}, 0.01, 21);
  for (const Kernel& kernel :
       {gaussian_kernel({20, 6, 12}, Normalise::sum), gaussian_kernel({30, 0, 14}, Normalise::sum),
        gaussian_kernel({300, 0, 300}, Normalise::sum), box_kernel(15, Normalise::sum)}) {
    const ConvolutionSpec spec{kernel, Boundary::reflect};
    for (const Algorithm algorithm : {Algorithm::direct, Algorithm::separable}) {
      Image first;
      for (const std::string& name : names) {
        const auto quotes = backend(name).quote(spec, image.shape());
        const auto quote = std::ranges::find(quotes, algorithm, &ConvolutionQuote::algorithm);
        if (quote == quotes.end() || !quote->possible) continue;
        SCOPED_TRACE(fmt::format("{} {}, kernel {}x{}", name, to_string(algorithm), kernel.shape.ny, kernel.shape.nx));
        Image got = convolved(backend(name), image, spec, algorithm);
        if (first.shape() == Shape{}) {
          first = std::move(got);
        } else {
          EXPECT_TRUE(same_bits(got, first));
        }
      }
    }
  }
}

/// A kernel that is the product of a column and a row of random weights.
Kernel random_product(Shape shape, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> column, weights;
  for (std::int64_t i = 0; i < shape.ny; ++i) column.push_back(random.uniform() - 0.3);
  std::vector<double> row;
  for (std::int64_t j = 0; j < shape.nx; ++j) row.push_back(random.uniform() - 0.3);
  for (const double a : column)
    for (const double b : row) weights.push_back(a * b);
  return custom_kernel(shape, std::move(weights), Normalise::none, "random product");
}

/// Holds every tested backend to the bits of the first for each algorithm but FFT.   returns the first one's results
std::vector<Image> same_everywhere(const Image& image, const ConvolutionSpec& spec,
                                   const std::vector<Algorithm>& algorithms = {Algorithm::direct,
                                                                               Algorithm::separable}) {
  std::vector<Image> results;
  for (const Algorithm algorithm : algorithms) {
    Image first;
    for (const std::string& name : tested_backends()) {
      const auto quotes = backend(name).quote(spec, image.shape());
      const auto quote = std::ranges::find(quotes, algorithm, &ConvolutionQuote::algorithm);
      if (quote == quotes.end() || !quote->possible) continue;
      const Shape kernel = spec.kernel.shape;
      SCOPED_TRACE(fmt::format("{} {}, kernel {}x{}, boundary {}", name, to_string(algorithm), kernel.ny, kernel.nx,
                               to_string(spec.boundary)));
      Image got = convolved(backend(name), image, spec, algorithm);
      if (first.shape() == Shape{}) {
        first = std::move(got);
      } else {
        EXPECT_TRUE(same_bits(got, first));
      }
    }
    if (!(first.shape() == Shape{})) results.push_back(std::move(first));
  }
  return results;
}

TEST(Convolution, kernels_of_every_size_give_the_same_bits_on_every_backend) {
  std::vector<Shape> sizes{{5, 3},   {3, 7},   {8, 8},   {6, 9},     {1, 9},   {9, 1},   {11, 9},
                           {15, 12}, {17, 13}, {25, 21}, {19, 31},   {33, 33}, {33, 20}, {45, 49},
                           {65, 65}, {60, 70}, {97, 90}, {129, 129}, {131, 5}};
  for (std::int64_t side = 3; side <= 31; side += 2) sizes.push_back({side, side});
  const Image image = random_image({70, 1101}, 0, 33), small = random_image({13, 10}, 0, 34);
  for (const Shape size : sizes) {
    for (const Boundary boundary : {Boundary::zero, Boundary::mirror}) {
      (void)same_everywhere(image, {random_product(size, 35), boundary});
      (void)same_everywhere(small, {random_product(size, 36), boundary});
    }
  }
}

TEST(Convolution, tall_images_with_blanks_in_places_give_the_same_bits_on_every_backend) {
  // Tall enough for a device to go through a ring of rows several times, with stretches that no blank pixel reaches.
  Image image = random_image({2600, 1403}, 0, 38);
  for (std::int64_t y = 0; y < image.shape().ny; ++y)
    for (std::int64_t x = 0; x < image.shape().nx; ++x)
      if (y + x < 300 || (y > 1200 && y < 1230 && x > 700) || (y * 31 + x * 17) % 99991 == 0)
        image.at(y, x) = std::numeric_limits<float>::quiet_NaN();
  for (const Shape size : {Shape{9, 9}, Shape{33, 30}, Shape{129, 129}, Shape{7, 201}, Shape{301, 5}}) {
    for (const Boundary boundary : {Boundary::zero, Boundary::reflect, Boundary::blank}) {
      const Kernel kernel = random_product(size, 39);
      (void)same_everywhere(image, {kernel, boundary}, {Algorithm::separable});
      (void)same_everywhere(image, {kernel, boundary, NanRule::propagate}, {Algorithm::separable});
    }
  }
}

TEST(Convolution, rows_that_overflow_blank_only_what_they_reach) {
  Image image = random_image({80, 300}, 0, 37);
  for (std::int64_t x = 120; x < 126; ++x) image.at(40, x) = 3e38f;
  for (const Shape size : {Shape{11, 11}, Shape{9, 9}, Shape{21, 15}, Shape{35, 35}}) {
    Kernel kernel =
        custom_kernel(size, std::vector<double>(static_cast<std::size_t>(size.count()), 1.0), Normalise::none, "ones");
    for (const Image& got : same_everywhere(image, {std::move(kernel)})) {
      for (std::int64_t y = 0; y < image.shape().ny; ++y) {
        const bool reached = y + size.ny / 2 >= 40 && y - (size.ny - 1 - size.ny / 2) <= 40;
        ASSERT_EQ(std::isnan(got.at(y, 123)), reached) << size.ny << " x " << size.nx << ", y " << y;
        ASSERT_FALSE(std::isnan(got.at(y, 20)));
      }
    }
  }
}

TEST(Convolution, images_of_many_pixels_give_the_same_bits_on_every_backend) {
  if (tested_backends().size() < 2) GTEST_SKIP() << "there is one backend";
  // So many that a card takes its ways for large images: marches of hundreds of rows.
  Image image = random_image({7510, 7402}, 0, 40);
  for (std::int64_t x = 1120; x < 1126; ++x) image.at(4000, x) = 3e38f;
  for (const Shape size : {Shape{12, 17}, Shape{21, 15}, Shape{33, 33}, Shape{45, 49}, Shape{65, 60}})
    for (const Boundary boundary : {Boundary::zero, Boundary::mirror})
      (void)same_everywhere(image, {random_product(size, 41), boundary}, {Algorithm::separable});
}

TEST(Convolution, an_algorithm_that_cannot_do_it_says_why) {
  Backend& cpu = backend("cpu");
  const ConvolutionSpec spec{gaussian_kernel({20, 6, 12}, Normalise::sum)};
  try {
    (void)cpu.plan_convolution(spec, {64, 64}, Algorithm::separable);
    FAIL() << "a rotated Gaussian is not separable";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("separable"), std::string::npos) << error.what();
  }
}

Image image_of(const nlohmann::json& rows) {
  const Shape shape{static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(rows[0].size())};
  Image image(shape);
  for (std::int64_t y = 0; y < shape.ny; ++y)
    for (std::int64_t x = 0; x < shape.nx; ++x)
      image.at(y, x) = rows[y][x].is_null() ? std::nanf("") : rows[y][x].get<float>();
  return image;
}

Kernel kernel_of(const nlohmann::json& rows, bool normalised) {
  std::vector<double> weights;
  for (const auto& row : rows)
    for (const auto& value : row) weights.push_back(value.get<double>());
  return custom_kernel({static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(rows[0].size())}, weights,
                       normalised ? Normalise::sum : Normalise::none, "case");
}

struct PublishedCase {
  ConvolutionSpec spec;
  std::int64_t margin = 0;  ///< pixels at the edge that the published rule leaves at zero
};

/// Astropy's and SciPy's words in ours.
PublishedCase translate(const std::string& key, const nlohmann::json& kernel) {
  const auto has = [&](const char* text) { return key.find(text) != std::string::npos; };
  PublishedCase c;
  const bool normalised = has("astropy") && !has("normalize_kernel=False");
  c.spec.kernel = kernel_of(kernel, normalised);
  c.spec.min_weight = 0;
  c.spec.nan = has("astropy") ? (has("nan_treatment=fill") ? NanRule::fill : NanRule::interpolate) : NanRule::propagate;
  c.spec.keep_blanks = has("preserve_nan=True");
  if (has("correlate")) {
    std::ranges::reverse(c.spec.kernel.weights);
  }
  if (has("boundary=None"))
    c.margin = 1;
  else if (has("fill_value=nan"))
    c.spec.boundary = Boundary::blank;
  else if (has("boundary=extend") || has("nearest"))
    c.spec.boundary = Boundary::nearest;
  else if (has("wrap"))
    c.spec.boundary = Boundary::wrap;
  else if (has("mirror"))
    c.spec.boundary = Boundary::mirror;
  else if (has("reflect"))
    c.spec.boundary = Boundary::reflect;
  return c;
}

TEST(Convolution, published_cases_of_boundaries_and_blanks) {
  REBER_CASES_OR_SKIP(all);
  const auto& cases = (*all)["D_nan_and_boundary_7x7"];
  int checked = 0;
  for (const auto& [key, rows] : cases["results"].items()) {
    const PublishedCase c = translate(key, cases["kernel"]);
    const Image expected = image_of(rows);
    Image image = image_of(cases["image"]);
    if (key.find("without NaN") != std::string::npos)
      for (std::int64_t i = 0; i < image.shape().count(); ++i) image.data()[i] = static_cast<float>(i);
    for_each_algorithm(c.spec, image.shape(), [&](Backend& tested, Algorithm algorithm) {
      SCOPED_TRACE(key);
      Image got = convolved(tested, image, c.spec, algorithm);
      const double scale = c.spec.kernel.sum() * 48;
      for (std::int64_t y = c.margin; y < image.shape().ny - c.margin; ++y)
        for (std::int64_t x = c.margin; x < image.shape().nx - c.margin; ++x) {
          ASSERT_EQ(std::isnan(got.at(y, x)), std::isnan(expected.at(y, x))) << "y " << y << " x " << x;
          if (!std::isnan(got.at(y, x))) {
            ASSERT_LE(std::abs(got.at(y, x) - expected.at(y, x)), 2e-6 * scale) << "y " << y << " x " << x;
          }
        }
      ++checked;
    });
  }
  EXPECT_GT(checked, 30);
}

TEST(Convolution, published_cases_of_even_kernels) {
  REBER_CASES_OR_SKIP(all);
  const auto& cases = (*all)["D2_even_kernels"]["cases"];
  for (const auto& [name, one] : cases.items()) {
    const ConvolutionSpec spec{kernel_of(one["kernel"], false)};
    const Image expected = image_of(one["scipy.ndimage.convolve constant"]);
    for_each_algorithm(spec, expected.shape(), [&](Backend& tested, Algorithm algorithm) {
      const Image got = convolved(tested, impulse(expected.shape(), 3, 3), spec, algorithm);
      EXPECT_TRUE(close_images(got, expected, {1e-4})) << name;
    });
  }
}

}  // namespace
}  // namespace reber::testing
