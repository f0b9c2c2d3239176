// SPDX-License-Identifier: BSD-3-Clause
// One plane by several plans: the bits of each plan alone, whatever is shared, resident and in bands.
#include <gtest/gtest.h>

#include "tests/support/each_variant.hpp"
#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

struct Wanted {
  Kernel kernel;
  Algorithm algorithm;
};

Kernel product_kernel(Shape shape, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> column, row, weights;
  for (std::int64_t i = 0; i < shape.ny; ++i) column.push_back(0.1 + random.uniform());
  for (std::int64_t j = 0; j < shape.nx; ++j) row.push_back(0.1 + random.uniform());
  for (const double y : column)
    for (const double x : row) weights.push_back(y * x);
  return custom_kernel(shape, weights, Normalise::sum, fmt::format("product {}x{}", shape.ny, shape.nx));
}

Kernel random_kernel(Shape shape, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> weights(static_cast<std::size_t>(shape.count()));
  for (double& weight : weights) weight = 0.1 + random.uniform();
  return custom_kernel(shape, weights, Normalise::sum, fmt::format("random {}x{}", shape.ny, shape.nx));
}

std::vector<Wanted> mixed_group() {
  using enum Algorithm;
  return {{product_kernel({9, 9}, 1), separable},    {product_kernel({17, 17}, 2), separable},
          {random_kernel({21, 21}, 3), fft},         {product_kernel({5, 21}, 4), separable},
          {random_kernel({5, 5}, 5), direct},        {product_kernel({33, 33}, 6), separable},
          {random_kernel({21, 21}, 7), fft},         {random_kernel({21, 21}, 8), fft},
          {product_kernel({65, 65}, 9), separable},  {random_kernel({20, 31}, 10), fft},
          {product_kernel({13, 15}, 11), separable}, {product_kernel({8, 8}, 12), separable},
          {random_kernel({20, 31}, 13), fft}};
}

/// Holds each result of one call against the plan alone. fft_variant: of transforms, where the backend has it.
void expect_each_alone(Backend& tested, const Image& image, std::int64_t band, const ConvolutionSpec& rules,
                       const std::vector<Wanted>& group = mixed_group(), const std::string& fft_variant = "") {
  const auto plane = load(tested, image, band);
  std::vector<std::unique_ptr<ConvolutionPlan>> plans;
  std::vector<const ConvolutionPlan*> each;
  for (const Wanted& one : group) {
    ConvolutionSpec spec = rules;
    spec.kernel = one.kernel;
    if (one.algorithm == Algorithm::fft) spec = by_variant(tested, spec, image.shape(), Algorithm::fft, fft_variant);
    plans.push_back(tested.plan_convolution(spec, image.shape(), one.algorithm));
    each.push_back(plans.back().get());
  }
  each.push_back(each.front());  // the same plan twice
  const auto results = tested.convolve(*plane, each, {});
  ASSERT_EQ(results.size(), each.size());
  for (std::size_t k = 0; k < each.size(); ++k) {
    SCOPED_TRACE(fmt::format("plan {}: {} {}", k, to_string(each[k]->algorithm()), each[k]->spec().kernel.text));
    const auto alone = tested.convolve(*plane, *each[k], {});
    ASSERT_TRUE(results[k]);
    EXPECT_TRUE(same_bits(store(tested, *results[k]), store(tested, *alone)));
    EXPECT_EQ(results[k]->blank(), alone->blank());
  }
}

TEST(ConvolveEach, each_result_has_the_bits_of_its_plan_alone) {
  for (const std::string& name : tested_backends())
    for (const Shape shape : {Shape{203, 331}, Shape{40, 700}, Shape{1, 90}})
      for (const double blank : {0.0, 0.02})
        for (const std::int64_t band : {std::int64_t{0}, std::int64_t{37}})
          for (const Boundary boundary : {Boundary::zero, Boundary::reflect, Boundary::blank}) {
            SCOPED_TRACE(fmt::format("{} {}x{} blank {} band {} {}", name, shape.ny, shape.nx, blank, band,
                                     to_string(boundary)));
            ConvolutionSpec rules;
            rules.boundary = boundary;
            rules.keep_blanks = boundary == Boundary::blank;
            expect_each_alone(backend(name), random_image(shape, blank, 3), band, rules);
          }
}

TEST(ConvolveEach, blanks_that_propagate_or_count_as_zero) {
  for (const std::string& name : tested_backends())
    for (const NanRule nan : {NanRule::propagate, NanRule::fill}) {
      SCOPED_TRACE(fmt::format("{} {}", name, to_string(nan)));
      ConvolutionSpec rules;
      rules.nan = nan;
      expect_each_alone(backend(name), random_image({130, 257}, 0.003, 5), 0, rules);
    }
}

TEST(ConvolveEach, every_way_of_transforming_gives_each_plan_its_bits) {
  for (const char* variant : {"tile", "lines", "library"})
    for (const std::string& name : tested_backends())
      for (const double blank : {0.0, 0.02})
        for (const std::int64_t band : {std::int64_t{0}, std::int64_t{150}}) {
          SCOPED_TRACE(fmt::format("{} {} blank {} band {}", name, variant, blank, band));
          expect_each_alone(backend(name), random_image({600, 1300}, blank, 7), band, {}, mixed_group(), variant);
        }
}

/// What tests/gpu/sanitize.sh runs under checkers: small images that reach every kernel for several convolutions.
TEST(ConvolveEach, few_of_each_kind) {
  using enum Algorithm;
  const auto separable_group = [](const std::vector<std::int64_t>& sides) {
    std::vector<Wanted> group;
    for (const std::int64_t side : sides)
      group.push_back({product_kernel({side, side}, static_cast<std::uint64_t>(side)), separable});
    return group;
  };
  const auto fft_group = [](Shape shape) {
    return std::vector<Wanted>{{random_kernel(shape, 1), fft}, {random_kernel(shape, 2), fft}};
  };
  for (const std::string& name : tested_backends()) {
    Backend& tested = backend(name);
    const Image image = random_image({60, 300}, 0, 9);
    // Wide enough for a strip of 256 columns with others on both sides, whose rows the copy engine brings whole.
    const Image wide = random_image({60, 560}, 0, 9);
    for (const auto& sides : {std::vector<std::int64_t>{7, 17, 31}, {9, 15}, {17, 13}, {16, 33}})
      expect_each_alone(tested, wide, 0, {}, separable_group(sides));
    for (const Shape shape : {Shape{5, 70}, Shape{70, 5}, Shape{70, 70}})
      expect_each_alone(tested, image, 0, {}, fft_group(shape), "tile");
    for (const std::int64_t length : {512, 1024, 1536, 2048, 3072, 4096})
      expect_each_alone(tested, random_image({9, 20}, 0, 10), 0, {}, fft_group({length - 8, 3}), "lines");
  }
}

TEST(ConvolveEach, no_plans_give_no_planes) {
  for (const std::string& name : tested_backends()) {
    const auto plane = load(backend(name), random_image({20, 30}, 0, 1));
    EXPECT_TRUE(backend(name).convolve(*plane, std::span<const ConvolutionPlan* const>()).empty());
  }
}

}  // namespace
}  // namespace reber::testing
