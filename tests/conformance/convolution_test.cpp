// SPDX-License-Identifier: BSD-3-Clause
// Every backend and algorithm against the reference: shapes x boundaries x kernels x blanks x rules.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "tests/support/each_variant.hpp"
#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

constexpr double kUnit = 0x1p-24;  // half an ulp of 1 in float

Kernel asymmetric_kernel(Shape shape, std::uint64_t seed, bool positive) {
  Random random(seed);
  std::vector<double> weights(static_cast<std::size_t>(shape.count()));
  for (double& weight : weights) weight = positive ? 0.1 + random.uniform() : random.normal();
  return custom_kernel(shape, weights, positive ? Normalise::sum : Normalise::none,
                       fmt::format("random {}x{}", shape.ny, shape.nx));
}

std::vector<Kernel> kernels_for(Shape shape) {
  std::vector<Kernel> kernels{custom_kernel({1, 1}, {1.0}, Normalise::none, "impulse"),
                              asymmetric_kernel({3, 3}, 1, true),
                              asymmetric_kernel({2, 2}, 2, true),
                              asymmetric_kernel({4, 7}, 3, true),
                              asymmetric_kernel({5, 5}, 4, false),
                              asymmetric_kernel({1, 9}, 5, true),
                              gaussian_kernel({16, 0, 9}, Normalise::sum),
                              gaussian_kernel({12, 5, 8}, Normalise::sum),
                              box_kernel(7, Normalise::sum)};
  if (shape.count() <= 127 * 131) {
    kernels.push_back(gaussian_kernel({81, 0, 81}, Normalise::sum));
    kernels.push_back(asymmetric_kernel({33, 35}, 6, true));
  }
  return kernels;
}

/// |k| conv |in| for each pixel, boundaries as in spec: what rounding errors are relative to.
Image magnitude(const Image& image, ConvolutionSpec spec) {
  Image absolute = image.clone();
  for (std::int64_t i = 0; i < absolute.shape().count(); ++i)
    absolute.data()[i] = std::isfinite(absolute.data()[i]) ? std::abs(absolute.data()[i]) : 0.0f;
  for (double& weight : spec.kernel.weights) weight = std::abs(weight);
  spec.nan = NanRule::fill;
  spec.keep_blanks = false;
  Backend& reference = backend("reference");
  const auto plane = load(reference, absolute);
  const auto plan = reference.plan_convolution(spec, image.shape(), Algorithm::direct);
  return store(reference, *reference.convolve(*plane, *plan, {}));
}

/// Part of the kernel's weight that lies on finite pixels.
Image weight_part(const Image& image, ConvolutionSpec spec) {
  Image finite = image.clone();
  for (std::int64_t i = 0; i < finite.shape().count(); ++i)
    finite.data()[i] = std::isfinite(finite.data()[i]) ? 1.0f : 0.0f;
  spec.nan = NanRule::fill;
  spec.keep_blanks = false;
  Backend& reference = backend("reference");
  const auto plane = load(reference, finite);
  const bool outside_counts = spec.boundary == Boundary::zero;
  const auto plan = reference.plan_convolution(spec, image.shape(), Algorithm::direct);
  Image part = store(reference, *reference.convolve(*plane, *plan, {}));
  if (outside_counts) {
    Image ones(image.shape());
    std::fill_n(ones.data(), ones.shape().count(), 1.0f);
    const auto all = load(reference, ones);
    const Image inside = store(reference, *reference.convolve(*all, *plan, {}));
    for (std::int64_t i = 0; i < part.shape().count(); ++i)
      part.data()[i] += static_cast<float>(spec.kernel.sum()) - inside.data()[i];
  }
  for (std::int64_t i = 0; i < part.shape().count(); ++i) part.data()[i] /= static_cast<float>(spec.kernel.sum());
  return part;
}

/// Bound of each pixel. Direct and separable: n roundings of sums of non-negative magnitude (Higham 2002, eq. 3.5), n
/// the weights in one chain, or rows and columns where those are summed one after the other. FFT: 1e-6 of the largest
/// pixel times the sum of |weights|, five times the error measured for float32 transforms up to 4096^2. Interpolation
/// divides by a weight that errs alike.
std::vector<double> bounds_for(Algorithm algorithm, const Image& image, const ConvolutionSpec& spec, const Image& size,
                               const Image* part) {
  double largest = 0, weights = 0;
  for (std::int64_t i = 0; i < image.shape().count(); ++i)
    if (std::isfinite(image.data()[i])) largest = std::max(largest, std::abs(static_cast<double>(image.data()[i])));
  for (const double weight : spec.kernel.weights) weights += std::abs(weight);
  const Shape kernel = spec.kernel.shape;
  const bool one_chain = algorithm == Algorithm::fft || (algorithm == Algorithm::direct && !sums_rows_apart(kernel));
  const double taps = static_cast<double>(one_chain ? kernel.count() : kernel.ny + kernel.nx);
  std::vector<double> bounds(static_cast<std::size_t>(image.shape().count()));
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    double bound = (2 * taps + 8) * kUnit * size.data()[i];
    if (algorithm == Algorithm::fft) bound += 1e-6 * largest * weights;
    if (part != nullptr) {
      const double share = std::max(1e-30, std::abs(static_cast<double>(part->data()[i])));
      const double weight_error = algorithm == Algorithm::fft ? 2e-6 : (2 * taps + 8) * kUnit;
      bound = bound / share + size.data()[i] / share * weight_error / share;
    }
    bounds[i] = bound + 1e-37;
  }
  return bounds;
}

/// A pixel whose weight is within rounding of the least allowed may be blank or not: the reference decides for both.
void settle_marginal(Image& got, Image& expected, const Image& part, double min_weight) {
  for (std::int64_t i = 0; i < got.shape().count(); ++i) {
    const bool marginal = std::abs(std::abs(part.data()[i]) - min_weight) < 1e-4;
    if (marginal && std::isnan(got.data()[i]) != std::isnan(expected.data()[i])) got.data()[i] = expected.data()[i] = 0;
  }
}

class ConvolutionConformance : public ::testing::TestWithParam<std::tuple<Shape, Boundary>> {};

/// Holds every variant of every backend to the reference.   reached: where given, gets "cuda fft/lines" and the like
void check_case(const Image& image, const ConvolutionSpec& spec, std::set<std::string>* reached = nullptr) {
  Backend& reference = backend("reference");
  const auto reference_plan = reference.plan_convolution(spec, image.shape(), Algorithm::direct);
  const auto reference_plane = load(reference, image);
  const Image expected = store(reference, *reference.convolve(*reference_plane, *reference_plan, {}));
  const Image size = magnitude(image, spec);
  const bool interpolates =
      spec.nan == NanRule::interpolate && (reference_plane->blank() > 0 || spec.boundary == Boundary::blank);
  const Image part = interpolates ? weight_part(image, spec) : Image();
  for (const std::string& name : tested_backends()) {
    Backend& tested = backend(name);
    const auto plane = load(tested, image);
    for_each_variant(tested, spec, image.shape(), [&](const ConvolutionSpec& named, Algorithm algorithm) {
      SCOPED_TRACE(fmt::format("kernel {} ({}x{}), boundary {}, blanks {}{}", spec.kernel.text, spec.kernel.shape.ny,
                               spec.kernel.shape.nx, to_string(spec.boundary), to_string(spec.nan),
                               spec.keep_blanks ? " kept" : ""));
      const auto plan = tested.plan_convolution(named, image.shape(), algorithm);
      ASSERT_EQ(plan->algorithm(), algorithm);
      ASSERT_EQ(plan->variant(), named.variant);
      if (reached != nullptr) reached->insert(fmt::format("{} {}/{}", name, to_string(algorithm), named.variant));
      const auto result = tested.convolve(*plane, *plan, {});
      Image got = store(tested, *result);
      std::int64_t blank = 0;
      for (std::int64_t i = 0; i < got.shape().count(); ++i) blank += std::isnan(got.data()[i]) ? 1 : 0;
      ASSERT_EQ(result->blank(), blank) << "the plane's own count of blank pixels";
      Image wanted = expected.clone();
      if (interpolates) settle_marginal(got, wanted, part, spec.min_weight);
      const auto bounds = bounds_for(algorithm, image, spec, size, interpolates ? &part : nullptr);
      ASSERT_TRUE(close_images(got, wanted, bounds));
    });
  }
}

TEST_P(ConvolutionConformance, agrees_with_the_reference_for_every_kernel_and_blank_rule) {
  const auto [shape, boundary] = GetParam();
  for (const double blank_fraction : {0.0, 0.05, 0.6}) {
    const Image image = random_image(shape, blank_fraction, 17 + static_cast<std::uint64_t>(shape.count()));
    for (const Kernel& kernel : kernels_for(shape)) {
      for (const NanRule rule : {NanRule::interpolate, NanRule::fill, NanRule::propagate}) {
        if (blank_fraction == 0.0 && rule != NanRule::fill && boundary != Boundary::blank) continue;
        // Weights of both signs have no meaningful share on finite pixels.
        const bool positive = std::ranges::all_of(kernel.weights, [](double weight) { return weight >= 0; });
        if (rule == NanRule::interpolate && !positive) continue;
        ConvolutionSpec spec{kernel, boundary, rule, 0.3712, blank_fraction == 0.05 && rule == NanRule::interpolate};
        check_case(image, spec);
        if (HasFatalFailure()) return;
      }
    }
  }
}

/// Product of positive random factors, whose weights are `step` apart with zeros between them.
Kernel product_kernel(std::int64_t weights, std::int64_t step, std::uint64_t seed) {
  Random random(seed);
  Kernel kernel;
  const std::int64_t side = (weights - 1) * step + 1;
  kernel.shape = {side, side};
  for (std::vector<double>* factor : {&kernel.column, &kernel.row}) {
    factor->assign(static_cast<std::size_t>(side), 0.0);
    for (std::int64_t i = 0; i < side; i += step)
      (*factor)[static_cast<std::size_t>(i)] = (0.5 + random.uniform()) / static_cast<double>(weights);
  }
  for (const double y : kernel.column)
    for (const double x : kernel.row) kernel.weights.push_back(y * x);
  kernel.text = fmt::format("product of {} weights, {} apart", weights, step);
  return kernel;
}

TEST(VariantConformance, every_row_of_every_table_agrees_with_the_reference_with_and_without_blank_pixels) {
  const std::vector<Kernel> kernels{product_kernel(5, 1, 1), product_kernel(15, 1, 2), product_kernel(33, 1, 3),
                                    product_kernel(5, 2, 4), product_kernel(5, 3, 5)};
  const Shape shape{61, 77};
  for (const double blank_fraction : {0.0, 0.03}) {
    std::set<std::string> reached;
    for (const Kernel& kernel : kernels) {
      ConvolutionSpec spec{kernel, Boundary::reflect};
      check_case(random_image(shape, blank_fraction, 23), spec, &reached);
      if (HasFatalFailure()) return;
    }
    for (const std::string& name : tested_backends())
      for (const ConvolutionQuote& quote : backend(name).quote({kernels.back()}, shape))
        for (const VariantQuote& row : quote.variants)
          EXPECT_EQ(reached.count(fmt::format("{} {}/{}", name, to_string(quote.algorithm), row.name)), 1U)
              << name << " " << to_string(quote.algorithm) << "/" << row.name << " is reached by no kernel: for "
              << kernels.back().text << " it says \"" << row.reason << '"';
  }
}

INSTANTIATE_TEST_SUITE_P(shapes_and_boundaries, ConvolutionConformance,
                         ::testing::Combine(::testing::Values(Shape{1, 1}, Shape{1, 37}, Shape{41, 1}, Shape{17, 31},
                                                              Shape{64, 64}, Shape{127, 131}, Shape{257, 255}),
                                            ::testing::Values(Boundary::zero, Boundary::reflect, Boundary::mirror,
                                                              Boundary::nearest, Boundary::wrap, Boundary::blank)),
                         [](const auto& instance) {
                           const Shape shape = std::get<0>(instance.param);
                           return fmt::format("{}x{}_{}", shape.ny, shape.nx, to_string(std::get<1>(instance.param)));
                         });

}  // namespace
}  // namespace reber::testing
