// SPDX-License-Identifier: BSD-3-Clause
// Gaussians drawn row by row between the two columns where each falls below the cut.
#include "core/measure/sources/model_map.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace reber {
namespace {

/// -ln 2^-26.
constexpr double kCut = 26 * std::numbers::ln2;

}  // namespace

ModelMap::ModelMap(std::span<const Source> sources, Shape shape) : shape_(shape) {
  for (const Source& source : sources) take(source.model);
}

ModelMap::ModelMap(std::span<const GaussianComponent> gaussians, Shape shape) : shape_(shape) {
  for (const GaussianComponent& gaussian : gaussians) take(gaussian);
}

void ModelMap::take(const GaussianComponent& g) {
  const Covariance& c = g.fwhm2;
  const double det = c.xx * c.yy - c.xy * c.xy;
  if (!(det > 0) || !(c.xx > 0) || !std::isfinite(g.peak)) return;
  const double scale = 4 * std::numbers::ln2 / det;
  gaussians_.push_back(
      {g.peak, g.x, g.y, scale * c.yy, -scale * c.xy, scale * c.xx, std::sqrt(kCut / (4 * std::numbers::ln2) * c.yy)});
}

void ModelMap::add(const Gaussian& g, const Rect& where, std::vector<double>& sums) {
  const auto first = std::max(where.y0, static_cast<std::int64_t>(std::ceil(g.y - g.reach_y)));
  const auto last = std::min(where.y0 + where.ny - 1, static_cast<std::int64_t>(std::floor(g.y + g.reach_y)));
  for (std::int64_t row = first; row <= last; ++row) {
    const double dy = static_cast<double>(row) - g.y;
    // qxx dx^2 + 2 qxy dx dy + qyy dy^2 = kCut at dx = middle +- half.
    const double middle = -g.qxy * dy / g.qxx;
    const double rest = (kCut - g.qyy * dy * dy) / g.qxx + middle * middle;
    if (!(rest >= 0)) continue;
    const double half = std::sqrt(rest);
    const auto left = std::max(where.x0, static_cast<std::int64_t>(std::ceil(g.x + middle - half)));
    const auto right = std::min(where.x0 + where.nx - 1, static_cast<std::int64_t>(std::floor(g.x + middle + half)));
    double* const line = sums.data() + (row - where.y0) * where.nx;
    for (std::int64_t column = left; column <= right; ++column) {
      const double dx = static_cast<double>(column) - g.x;
      line[column - where.x0] += g.peak * std::exp(-(g.qxx * dx * dx + 2 * g.qxy * dx * dy + g.qyy * dy * dy));
    }
  }
}

void ModelMap::rectangle(const Rect& where, float* out) const {
  std::vector<double> sums(static_cast<std::size_t>(where.shape().count()), 0.0);
  for (const Gaussian& gaussian : gaussians_) add(gaussian, where, sums);
  std::transform(sums.begin(), sums.end(), out, [](double sum) { return static_cast<float>(sum); });
}

}  // namespace reber
