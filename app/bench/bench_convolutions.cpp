// SPDX-License-Identifier: BSD-3-Clause
// Convolutions as timed operations: the kernels, and how much work they are.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "app/bench/bench_cases.hpp"

namespace reber::app {
namespace {

constexpr double kTails = 3;  ///< sigma of the Gaussian that lie within half of a kernel

/// Operations a pixel of an overlap-save convolution by square tiles whose side is a power of two, at the best side:
/// two real transforms of 2.5 n log2 n operations each and n/2 complex products of 6. The usual count of a fast
/// Fourier transform, not a bound of every algorithm.
double fft_flop_per_pixel(int side) {
  double least = std::numeric_limits<double>::infinity();
  for (double tile = 16; tile <= 65536; tile *= 2) {
    const double valid = tile - side + 1;
    if (valid < 1) continue;
    const double pixels = tile * tile;
    least = std::min(least, (5 * pixels * std::log2(pixels) + 3 * pixels) / (valid * valid));
  }
  return least;
}

ConvolutionQuote quote_of(const BenchSession& s, const ConvolutionSpec& spec, Algorithm algorithm) {
  for (const ConvolutionQuote& quote : s.backend->quote(spec, s.plane->shape())) {
    if (quote.algorithm == algorithm) return quote;
  }
  ConvolutionQuote none;
  none.reason = "not an algorithm of this backend";
  return none;
}

/// variant: empty where the cheapest is meant.
std::string name_of(Algorithm algorithm, int side, const std::string& variant = "") {
  const std::string way = fmt::format("{}{}{}", to_string(algorithm), variant.empty() ? "" : "/", variant);
  return algorithm == Algorithm::separable ? fmt::format("{} {} taps", way, side)
                                           : fmt::format("{0} {1}x{1}", way, side);
}

/// With the variant asked for, unless the backend has but one: those that are compared with go their own way.
ConvolutionSpec asked_of(const BenchSession& s, ConvolutionSpec spec, Algorithm algorithm) {
  if (quote_of(s, spec, algorithm).variants.size() < 2) spec.variant.clear();
  return spec;
}

BenchCase convolution_case(Algorithm algorithm, const std::string& variant, Kernel kernel, Shape shape,
                           double brightest) {
  ConvolutionSpec spec;
  spec.variant = variant;
  const int side = static_cast<int>(kernel.shape.ny);
  spec.kernel = std::move(kernel);
  const std::int64_t bytes = shape.count() * static_cast<std::int64_t>(sizeof(float));
  const Work work{bytes, bytes, 0, 0, flop_per_pixel(algorithm, side) * static_cast<double>(shape.count())};
  BenchCase one;
  one.name = name_of(algorithm, side, variant);
  one.group = to_string(algorithm);
  one.work = [work](const BenchSession&) { return work; };
  one.prepare = [spec, algorithm](BenchSession& s, std::string& why_not) {
    const ConvolutionSpec asked = asked_of(s, spec, algorithm);
    const ConvolutionQuote quote = quote_of(s, asked, algorithm);
    why_not = quote.reason;
    if (!quote.possible) return false;
    s.plan = s.backend->plan_convolution(asked, s.plane->shape(), algorithm, s.job);
    return true;
  };
  one.run = [](BenchSession& s) {
    s.derived.reset();
    s.derived = s.backend->convolve(*s.plane, *s.plan, s.job);
  };
  one.rows = [](BenchSession& s, std::int64_t y0, std::int64_t ny, float* out) {
    s.backend->render_rows(MapKind::image, *s.derived, nullptr, y0, ny, out);
  };
  // docs/numerics.md#convolve, relative to the brightest pixel: each of two FFTs errs by 1e-6 and what direct errs by.
  const double u = std::ldexp(1.0, -24), direct = (2.0 * side * side + 8) * u;
  one.bound = algorithm == Algorithm::fft ? 2 * (1e-6 + direct) : 0;
  one.reference_bound = algorithm == Algorithm::fft ? 1e-6 + direct : direct;
  one.scale = brightest;  // the weights are positive and sum to 1
  one.predicted_ms = [spec, algorithm](const BenchSession& s) {
    return quote_of(s, asked_of(s, spec, algorithm), algorithm).cost_ms;
  };
  return one;
}

}  // namespace

/// Elliptical; cut at 3 sigma of its major axis.
Kernel rotated_kernel(int side, double degrees) {
  const int half = side / 2;
  const double sigma = std::max(1.0, half / kTails);
  const double angle = degrees * M_PI / 180, c = std::cos(angle), s = std::sin(angle);
  std::vector<double> weights;
  for (int y = -half; y <= half; ++y) {
    for (int x = -half; x <= half; ++x) {
      const double along = (c * x + s * y) / sigma;
      const double across = (c * y - s * x) / (0.6 * sigma);
      weights.push_back(std::exp(-0.5 * (along * along + across * across)));
    }
  }
  return custom_kernel({side, side}, std::move(weights), Normalise::sum, fmt::format("rotated Gaussian {0}x{0}", side));
}

Kernel round_kernel(int taps) {
  const int half = taps / 2;
  const double sigma = std::max(1.0, half / kTails);
  std::vector<double> factor, weights;
  for (int x = -half; x <= half; ++x) factor.push_back(std::exp(-0.5 * x * x / (sigma * sigma)));
  for (const double a : factor) {
    for (const double b : factor) weights.push_back(a * b);
  }
  return custom_kernel({taps, taps}, std::move(weights), Normalise::sum, fmt::format("round Gaussian, {} taps", taps));
}

double flop_per_pixel(Algorithm algorithm, int side) {
  switch (algorithm) {
    case Algorithm::direct:
      return 2.0 * side * side;
    case Algorithm::separable:
      return 4.0 * side;
    case Algorithm::fft:
      return fft_flop_per_pixel(side);
  }
  return 0;
}

std::optional<BenchCase> convolution_named(const std::string& name, Shape shape, double brightest) {
  const std::size_t gap = name.find(' '), slash = name.find('/');
  const int side = gap == std::string::npos ? 0 : std::atoi(name.c_str() + gap + 1);
  if (side < 1 || side % 2 == 0) return {};
  const std::string variant = slash < gap ? name.substr(slash + 1, gap - slash - 1) : "";
  for (const Algorithm algorithm : {Algorithm::direct, Algorithm::separable, Algorithm::fft}) {
    if (name != name_of(algorithm, side, variant)) continue;
    const Kernel kernel = algorithm == Algorithm::separable ? round_kernel(side) : rotated_kernel(side);
    return convolution_case(algorithm, variant, kernel, shape, brightest);
  }
  return {};
}

std::vector<std::string> variants_named(const std::string& name, const BenchSession& session) {
  std::vector<std::string> names;
  const std::size_t gap = name.find(' ');
  if (gap == std::string::npos) return names;
  for (const ConvolutionQuote& quote : session.backend->quote({round_kernel(3)}, session.plane->shape()))
    if (name.substr(0, gap) == to_string(quote.algorithm))
      for (const VariantQuote& one : quote.variants)
        names.push_back(fmt::format("{}/{}{}", to_string(quote.algorithm), one.name, name.substr(gap)));
  return names;
}

double brightest_of(const Image& image) {
  double brightest = 0;
  for (std::int64_t i = 0; i < image.shape().count(); ++i)
    brightest = std::max(brightest, std::abs(static_cast<double>(image.data()[i])));  // NaN never is
  return brightest;
}

std::vector<BenchCase> convolution_cases(Shape shape, double brightest, bool full) {
  std::vector<BenchCase> cases;
  const auto add = [&](Algorithm algorithm, const std::vector<int>& sides) {
    for (const int side : sides)
      if (side <= std::min(shape.ny, shape.nx))
        cases.push_back(convolution_named(name_of(algorithm, side), shape, brightest).value());
  };
  add(Algorithm::direct, full ? std::vector{3, 5, 7, 9, 11, 15, 21, 31} : std::vector{3, 5, 7, 9, 15, 31});
  add(Algorithm::separable, full ? std::vector{9, 17, 33, 65, 129, 257} : std::vector{9, 17, 33, 65, 129});
  add(Algorithm::fft, full ? std::vector{15, 31, 61, 101, 257, 513, 1025} : std::vector{31, 101, 257, 1025});
  return cases;
}

}  // namespace reber::app
