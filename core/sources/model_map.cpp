// SPDX-License-Identifier: BSD-3-Clause
// Gaussians drawn row by row between the two columns where each falls below the cut.
#include "core/sources/model_map.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace reber {
namespace {

/// -ln 2^-26.
constexpr double kCut = 26 * std::numbers::ln2;

}  // namespace

ModelMap::ModelMap(std::span<const Source> sources, Shape shape) : shape_(shape) {
  for (const Source& source : sources) {
    const Covariance& c = source.model.fwhm2;
    const double det = c.xx * c.yy - c.xy * c.xy;
    if (!(det > 0) || !(c.xx > 0) || !std::isfinite(source.model.peak)) continue;
    const double scale = 4 * std::numbers::ln2 / det;
    gaussians_.push_back({source.model.peak, source.model.x, source.model.y, scale * c.yy, -scale * c.xy, scale * c.xx,
                          std::sqrt(kCut / (4 * std::numbers::ln2) * c.yy)});
  }
}

void ModelMap::add(const Gaussian& g, std::int64_t y0, std::int64_t ny, std::vector<double>& sums) const {
  const auto first = std::max(y0, static_cast<std::int64_t>(std::ceil(g.y - g.reach_y)));
  const auto last = std::min(y0 + ny - 1, static_cast<std::int64_t>(std::floor(g.y + g.reach_y)));
  for (std::int64_t row = first; row <= last; ++row) {
    const double dy = static_cast<double>(row) - g.y;
    // qxx dx^2 + 2 qxy dx dy + qyy dy^2 = kCut at dx = middle +- half.
    const double middle = -g.qxy * dy / g.qxx;
    const double rest = (kCut - g.qyy * dy * dy) / g.qxx + middle * middle;
    if (!(rest >= 0)) continue;
    const double half = std::sqrt(rest);
    const auto left = std::max<std::int64_t>(0, static_cast<std::int64_t>(std::ceil(g.x + middle - half)));
    const auto right =
        std::min<std::int64_t>(shape_.nx - 1, static_cast<std::int64_t>(std::floor(g.x + middle + half)));
    double* const line = sums.data() + (row - y0) * shape_.nx;
    for (std::int64_t column = left; column <= right; ++column) {
      const double dx = static_cast<double>(column) - g.x;
      line[column] += g.peak * std::exp(-(g.qxx * dx * dx + 2 * g.qxy * dx * dy + g.qyy * dy * dy));
    }
  }
}

void ModelMap::rows(std::int64_t y0, std::int64_t ny, float* out) const {
  std::vector<double> sums(static_cast<std::size_t>(ny * shape_.nx), 0.0);
  for (const Gaussian& gaussian : gaussians_) add(gaussian, y0, ny, sums);
  std::transform(sums.begin(), sums.end(), out, [](double sum) { return static_cast<float>(sum); });
}

}  // namespace reber
