// SPDX-License-Identifier: BSD-3-Clause
// Several convolutions of one image as one timed operation.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/bench/bench_cases.hpp"

namespace reber::app {
namespace {

struct Group {
  std::string name;
  Algorithm algorithm;
  std::vector<Kernel> kernels;
};

bool make_plans(BenchSession& s, const Group& group, std::string& why_not) {
  for (const Kernel& kernel : group.kernels) {
    ConvolutionSpec spec;
    spec.kernel = kernel;
    const auto quotes = s.backend->quote(spec, s.plane->shape());
    const auto quote = std::ranges::find(quotes, group.algorithm, &ConvolutionQuote::algorithm);
    if (quote == quotes.end() || !quote->possible) {
      why_not = quote == quotes.end() ? "not an algorithm of this backend" : quote->reason;
      return false;
    }
    s.plans.push_back(s.backend->plan_convolution(spec, s.plane->shape(), group.algorithm, s.job));
  }
  return true;
}

BenchCase group_case(const Group& group, Shape shape, double brightest) {
  const std::int64_t bytes = shape.count() * static_cast<std::int64_t>(sizeof(float));
  const auto count = static_cast<std::int64_t>(group.kernels.size());
  double flop = 0;
  int largest = 0;
  for (const Kernel& kernel : group.kernels) {
    const int side = static_cast<int>(kernel.shape.ny);
    flop += flop_per_pixel(group.algorithm, side) * static_cast<double>(shape.count());
    largest = std::max(largest, side);
  }
  const Work work{bytes, count * bytes, 0, 0, flop};
  BenchCase one;
  one.name = group.name;
  one.group = to_string(group.algorithm);
  one.work = [work](const BenchSession&) { return work; };
  one.prepare = [group](BenchSession& s, std::string& why_not) { return make_plans(s, group, why_not); };
  one.run = [](BenchSession& s) {
    s.several.clear();
    std::vector<const ConvolutionPlan*> each;
    for (const auto& plan : s.plans) each.push_back(plan.get());
    s.several = s.backend->convolve(*s.plane, each, s.job);
  };
  one.rows = [](BenchSession& s, std::int64_t y0, std::int64_t ny, float* out) {
    const std::int64_t nx = s.plane->shape().nx;
    for (std::int64_t y = y0; y < y0 + ny; ++y, out += nx)
      s.backend->render_rows(MapKind::image, *s.several[static_cast<std::size_t>(y) % s.several.size()], nullptr, y, 1,
                             out);
  };
  one.fetch_each = [](BenchSession& s, float* image) {
    const std::int64_t ny = s.plane->shape().ny;
    for (const auto& plane : s.several) s.backend->render_rows(MapKind::image, *plane, nullptr, 0, ny, image);
  };
  // As for one kernel: docs/numerics.md#convolve.
  const double direct = (2.0 * largest * largest + 8) * std::ldexp(1.0, -24);
  one.bound = group.algorithm == Algorithm::fft ? 2 * (1e-6 + direct) : 0;
  one.reference_bound = group.algorithm == Algorithm::fft ? 1e-6 + direct : direct;
  one.scale = brightest;
  one.predicted_ms = [](const BenchSession&) { return 0.0; };
  return one;
}

}  // namespace

std::vector<BenchCase> group_cases(Shape shape, double brightest) {
  std::vector<BenchCase> cases;
  const std::int64_t side = std::min(shape.ny, shape.nx);
  if (side >= 129) {
    std::vector<Kernel> scales;
    for (const int taps : {9, 17, 33, 65, 129}) scales.push_back(round_kernel(taps));
    cases.push_back(
        group_case({"separable 9 to 129, five", Algorithm::separable, std::move(scales)}, shape, brightest));
  }
  if (side >= 101) {
    std::vector<Kernel> turned;
    for (const double degrees : {10.0, 30.0, 50.0, 70.0, 80.0}) turned.push_back(rotated_kernel(101, degrees));
    cases.push_back(group_case({"fft 101x101, five", Algorithm::fft, std::move(turned)}, shape, brightest));
  }
  return cases;
}

}  // namespace reber::app
