// SPDX-License-Identifier: BSD-3-Clause
// Stages and convolutions as timed operations.
#include "app/bench_cases.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/compute/pixel_source.hpp"
#include "core/io/fits_image.hpp"

namespace reber::app {
namespace {

constexpr std::int64_t kCellPx = 64;
constexpr double kMinWeightTails = 3;  ///< sigma that lie within half of a benchmark kernel

/// Elliptical at 30 degrees, so that no backend can do it in two passes; cut at 3 sigma of its major axis.
Kernel rotated_kernel(int side) {
  const int half = side / 2;
  const double sigma = std::max(1.0, half / kMinWeightTails);
  const double c = std::cos(M_PI / 6), s = std::sin(M_PI / 6);
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
  const double sigma = std::max(1.0, half / kMinWeightTails);
  std::vector<double> factor, weights;
  for (int x = -half; x <= half; ++x) factor.push_back(std::exp(-0.5 * x * x / (sigma * sigma)));
  for (const double a : factor) {
    for (const double b : factor) weights.push_back(a * b);
  }
  return custom_kernel({taps, taps}, std::move(weights), Normalise::sum, fmt::format("round Gaussian, {} taps", taps));
}

std::vector<float> render(BenchSession& s, const Plane& plane) {
  const Shape shape = plane.shape();
  std::vector<float> pixels(static_cast<std::size_t>(shape.count()));
  s.backend->render_rows(MapKind::image, plane, nullptr, 0, shape.ny, pixels.data());
  return pixels;
}

bool always(BenchSession&, std::string&) { return true; }
double no_prediction(const BenchSession&) { return 0; }
BenchResult numbers_of(BenchSession& s) { return {{}, s.numbers}; }

BenchCase load_case(const SimulatedSky& sky) {
  const Shape shape = sky.image.shape();
  return {"load",
          2 * shape.count() * 4,
          always,
          [&sky, shape](BenchSession& s) {
            TilingPlan tiling;
            tiling.band_rows = shape.ny;
            s.plane.reset();
            s.plane = s.backend->load(*memory_source(sky.image.data(), shape), tiling, {});
          },
          [](BenchSession& s) {
            return BenchResult{render(s, *s.plane), {}};
          },
          no_prediction};
}

std::vector<BenchCase> statistics_cases(std::int64_t image_bytes) {
  return {{"statistics", image_bytes, always,
           [](BenchSession& s) {
             const PlaneStatistics p = s.backend->statistics(*s.plane);
             s.numbers = {static_cast<double>(p.finite), p.min, p.max, p.mean, p.std, p.median};
           },
           numbers_of, no_prediction},
          {"clip", image_bytes, always,
           [](BenchSession& s) {
             const ClipStatistics c = s.backend->clip(*s.plane, {});
             s.numbers = {c.median, c.mean, c.std, static_cast<double>(c.kept), static_cast<double>(c.rounds)};
           },
           numbers_of, no_prediction},
          {"mesh 64 px", image_bytes, always,
           [](BenchSession& s) {
             const MeshGrid grid = MeshGrid::make(s.plane->shape(), kCellPx);
             const MeshOptions options;
             s.background = finish_mesh(grid, s.backend->mesh(*s.plane, grid, options, {}), options);
           },
           [](BenchSession& s) {
             BenchResult result{s.background.mean, {}};
             result.pixels.insert(result.pixels.end(), s.background.rms.begin(), s.background.rms.end());
             return result;
           },
           no_prediction}};
}

std::vector<double> flat(const std::vector<IslandSums>& islands) {
  std::vector<double> numbers;
  for (const IslandSums& i : islands) {
    numbers.insert(numbers.end(), {static_cast<double>(i.npix), static_cast<double>(i.peak_y),
                                   static_cast<double>(i.peak_x), i.peak, i.s, i.sx, i.sy, i.sxx, i.sxy, i.syy});
  }
  return numbers;
}

std::vector<BenchCase> detection_cases(std::int64_t image_bytes) {
  const auto label = [](BenchSession& s) { s.islands = s.backend->label(*s.plane, s.background, {}, {}); };
  const auto measure = [](BenchSession& s) {
    s.numbers = flat(s.backend->measure(*s.plane, s.background, *s.islands));
  };
  return {{"label 5/3 sigma", 2 * image_bytes, always, label,
           [](BenchSession& s) {
             const Shape shape = s.plane->shape();
             std::vector<std::int32_t> labels(static_cast<std::size_t>(shape.count()));
             s.backend->label_rows(*s.islands, 0, shape.ny, labels.data());
             return BenchResult{std::vector<float>(labels.begin(), labels.end()), {}};
           },
           no_prediction},
          {"measure", image_bytes, always, measure, numbers_of, no_prediction},
          {"mesh + label + measure", 3 * image_bytes, always,
           [label, measure](BenchSession& s) {
             const MeshGrid grid = MeshGrid::make(s.plane->shape(), kCellPx);
             s.background = finish_mesh(grid, s.backend->mesh(*s.plane, grid, {}, {}), {});
             label(s);
             measure(s);
           },
           numbers_of, no_prediction},
          {"render S/N map", 2 * image_bytes, always,
           [](BenchSession& s) {
             const Shape shape = s.plane->shape();
             s.rendered.resize(static_cast<std::size_t>(shape.count()));
             s.backend->render_rows(MapKind::snr, *s.plane, &s.background, 0, shape.ny, s.rendered.data());
           },
           [](BenchSession& s) {
             return BenchResult{std::move(s.rendered), {}};
           },
           no_prediction}};
}

ConvolutionQuote quote_of(const BenchSession& s, const ConvolutionSpec& spec, Algorithm algorithm) {
  for (const ConvolutionQuote& quote : s.backend->quote(spec, s.plane->shape())) {
    if (quote.algorithm == algorithm) return quote;
  }
  ConvolutionQuote none;
  none.reason = "not an algorithm of this backend";
  return none;
}

BenchCase convolution_case(const std::string& name, Kernel kernel, Algorithm algorithm, std::int64_t image_bytes) {
  ConvolutionSpec spec;
  spec.kernel = std::move(kernel);
  return {name,
          2 * image_bytes,
          [spec, algorithm](BenchSession& s, std::string& why_not) {
            const ConvolutionQuote quote = quote_of(s, spec, algorithm);
            why_not = quote.reason;
            if (!quote.possible) return false;
            s.plan = s.backend->plan_convolution(spec, s.plane->shape(), algorithm);
            return true;
          },
          [](BenchSession& s) {
            s.convolved.reset();
            s.convolved = s.backend->convolve(*s.plane, *s.plan, {});
          },
          [](BenchSession& s) {
            BenchResult result{render(s, *s.convolved), {}};
            s.convolved.reset();
            s.plan.reset();
            return result;
          },
          [spec, algorithm](const BenchSession& s) { return quote_of(s, spec, algorithm).cost_ms; }};
}

}  // namespace

BenchSession::~BenchSession() {
  // Everything that lives in the backend goes before it.
  convolved.reset();
  plan.reset();
  islands.reset();
  background = {};
  plane.reset();
}

std::vector<BenchCase> bench_cases(const SimulatedSky& sky, bool full) {
  const std::int64_t image_bytes = sky.image.shape().count() * 4;
  std::vector<BenchCase> cases{load_case(sky)};
  const auto append = [&](std::vector<BenchCase> more) {
    for (BenchCase& one : more) cases.push_back(std::move(one));
  };
  append(statistics_cases(image_bytes));
  append(detection_cases(image_bytes));
  cases.push_back(fit_case(sky.image.shape().nx));
  const auto add = [&](const char* kind, int side, Kernel kernel, Algorithm algorithm) {
    cases.push_back(
        convolution_case(fmt::format("{0} {1}x{1}", kind, side), std::move(kernel), algorithm, image_bytes));
  };
  for (const int side : full ? std::vector{3, 5, 7, 9, 15, 31} : std::vector{3, 7, 15, 31}) {
    add("direct", side, rotated_kernel(side), Algorithm::direct);
  }
  for (const int taps : full ? std::vector{9, 17, 33, 65, 129} : std::vector{9, 17, 33, 65}) {
    add("separable", taps, round_kernel(taps), Algorithm::separable);
  }
  for (const int side : full ? std::vector{31, 101, 257, 1025} : std::vector{31, 101, 257}) {
    if (side <= sky.image.shape().nx) add("fft", side, rotated_kernel(side), Algorithm::fft);
  }
  return cases;
}

}  // namespace reber::app
