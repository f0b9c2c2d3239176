// SPDX-License-Identifier: BSD-3-Clause
// Bright pixels convolved by themselves, on the host: they are few.
#include "core/run/pipeline/bright_pixels.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "core/base/thread_pool.hpp"
#include "core/files/image/image_file.hpp"
#include "core/seam/compute/boundary_index.hpp"

namespace reber {
namespace {

/// Products of all bright pixels and all weights: a second of one thread.
constexpr std::int64_t kMostProducts = std::int64_t{1} << 30;

/// Positions inside and outside, within the kernel's reach, that show index `at`.
std::vector<std::int64_t> likenesses(std::int64_t at, std::int64_t n, std::int64_t reach, Boundary boundary) {
  std::vector<std::int64_t> found{at};
  for (std::int64_t i = 1; i <= reach; ++i) {
    if (boundary_index(-i, n, boundary) == at) found.push_back(-i);
    if (boundary_index(n - 1 + i, n, boundary) == at) found.push_back(n - 1 + i);
  }
  return found;
}

/// One bright pixel, or its likeness, and what it gives to the rows of one share.
struct Giver {
  std::int64_t y = 0, x = 0;
  double excess = 0;
};

std::vector<Giver> givers_of(const BrightPixels& bright, Shape shape, const ConvolutionSpec& spec) {
  const Shape kernel = spec.kernel.shape;
  std::vector<Giver> givers;
  for (std::size_t k = 0; k < bright.at.size(); ++k)
    for (const std::int64_t y : likenesses(bright.at[k] / shape.nx, shape.ny, kernel.ny, spec.boundary))
      for (const std::int64_t x : likenesses(bright.at[k] % shape.nx, shape.nx, kernel.nx, spec.boundary))
        givers.push_back({y, x, bright.excess[k]});
  return givers;
}

/// out(y, x) += excess w(i, j) at y = Y + i - cy, x = X + j - cx.
void give(const Giver& from, const Kernel& kernel, std::int64_t y, std::vector<double>& row) {
  const std::int64_t cy = kernel.shape.ny / 2, cx = kernel.shape.nx / 2, i = y - from.y + cy;
  if (i < 0 || i >= kernel.shape.ny) return;
  const auto nx = static_cast<std::int64_t>(row.size());
  const std::int64_t first = std::max<std::int64_t>(0, from.x - cx), last = std::min(nx, from.x - cx + kernel.shape.nx);
  const double* const weights = kernel.weights.data() + i * kernel.shape.nx;
  for (std::int64_t x = first; x < last; ++x)
    row[static_cast<std::size_t>(x)] += from.excess * weights[x - (from.x - cx)];
}

/// Whether sums of pixels are weighted anew where some are blank: what one pixel adds then depends on its neighbours.
bool shares_out(const Plane& plane, const ConvolutionSpec& spec) {
  const bool missing = plane.blank() > 0 || spec.boundary == Boundary::blank;
  return missing && spec.nan == NanRule::interpolate;
}

}  // namespace

BrightPixels bright_pixels(const Image& image, double median, double level, std::size_t most) {
  BrightPixels found;
  std::vector<std::int64_t> at;
  const std::int64_t count = image.shape().count();
  const auto distance = [&](std::int64_t i) { return std::abs(static_cast<double>(image.data()[i]) - median); };
  for (std::int64_t i = 0; i < count; ++i)
    if (distance(i) > level) at.push_back(i);
  if (at.size() > most) {
    const auto end = at.begin() + static_cast<std::ptrdiff_t>(most);
    std::nth_element(at.begin(), end, at.end(),
                     [&](std::int64_t a, std::int64_t b) { return distance(a) > distance(b); });
    at.erase(end, at.end());
    std::ranges::sort(at);
  }
  auto next = at.begin();
  for (std::int64_t i = 0; i < count; ++i) {
    if (next != at.end() && *next == i)
      ++next;
    else if (const double d = distance(i); std::isfinite(d))
      found.left = std::max(found.left, d);
  }
  for (const std::int64_t i : at) found.excess.push_back(static_cast<double>(image.data()[i]) - median);
  found.at = std::move(at);
  return found;
}

Image response_of(const BrightPixels& bright, Shape shape, const ConvolutionSpec& spec, int threads,
                  const Progress& progress) {
  Image response(shape);
  std::vector<Giver> givers = givers_of(bright, shape, spec);
  std::ranges::stable_sort(givers, {}, &Giver::y);
  const std::int64_t below = spec.kernel.shape.ny;
  ThreadPool pool(threads);
  pool.for_each(shape.ny, [&](std::int64_t y) {
    progress.check();
    const auto first = std::ranges::lower_bound(givers, y - below, {}, &Giver::y);
    std::vector<double> row(static_cast<std::size_t>(shape.nx));
    for (auto giver = first; giver != givers.end() && giver->y <= y + below; ++giver) give(*giver, spec.kernel, y, row);
    std::ranges::transform(row, response.data() + y * shape.nx, [](double v) { return static_cast<float>(v); });
  });
  return response;
}

ConvolvedApart convolve_apart(Backend& backend, const Plane& plane, const ConvolutionPlan& plan, double range,
                              const TilingPlan& tiling, const Job& job) {
  const ConvolutionSpec& spec = plan.spec();
  const Shape shape = plane.shape();
  if (shape.count() == 0 || shares_out(plane, spec) || !std::isfinite(range)) return {};
  const PlaneStatistics statistics = backend.statistics(plane, StatisticsParts::all, job);
  const double noise = std::max(std::abs(statistics.max), std::abs(statistics.min)) / range;
  Image image(shape);
  backend.render_rows(MapKind::image, plane, nullptr, 0, shape.ny, image.data(), job);
  const auto most = static_cast<std::size_t>(kMostProducts / spec.kernel.shape.count());
  const BrightPixels bright = bright_pixels(image, statistics.median, kFaintRange * noise, most);
  if (bright.at.empty() || !(bright.left < 0.5 * range * noise)) return {};
  for (const std::int64_t i : bright.at) image.data()[i] = static_cast<float>(statistics.median);
  // What stands in their place is rounded to a float: the excess is over that.
  BrightPixels exact = bright;
  const double place = static_cast<double>(static_cast<float>(statistics.median));
  for (double& excess : exact.excess) excess += statistics.median - place;
  const auto faint = backend.load(*memory_source(image.data(), shape), tiling, job);
  const auto without = backend.convolve(*faint, plan, job);
  const Image response = response_of(exact, shape, spec, 0, job.progress());
  image = Image(shape);
  std::ranges::transform(response.data(), response.data() + shape.count(), image.data(), std::negate<>());
  const auto negative = backend.load(*memory_source(image.data(), shape), tiling, job);
  return {backend.derive(CombinedPlane{PlaneRule::difference, *without, *negative}, job), bright.at.size(),
          bright.left / noise};
}

}  // namespace reber
