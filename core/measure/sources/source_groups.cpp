// SPDX-License-Identifier: BSD-3-Clause
// Pairs of Gaussians on a raster of their sum; links joined by a union of sets.
#include "core/measure/sources/source_groups.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/base/shape.hpp"
#include "core/measure/sources/model_map.hpp"

namespace reber {
namespace {

struct Pixel {
  std::int64_t y = 0, x = 0;
  bool operator==(const Pixel&) const = default;
};

/// The sum of the Gaussians on the pixels about their centres.
class SumOfAll {
 public:
  explicit SumOfAll(std::span<const GaussianComponent> gaussians) {
    const auto [left, right] = std::ranges::minmax(gaussians, {}, &GaussianComponent::x);
    const auto [low, high] = std::ranges::minmax(gaussians, {}, &GaussianComponent::y);
    where_.x0 = static_cast<std::int64_t>(std::floor(left.x));
    where_.y0 = static_cast<std::int64_t>(std::floor(low.y));
    where_.nx = static_cast<std::int64_t>(std::floor(right.x)) + 2 - where_.x0;
    where_.ny = static_cast<std::int64_t>(std::floor(high.y)) + 2 - where_.y0;
    values_.resize(static_cast<std::size_t>(where_.ny * where_.nx));
    ModelMap(gaussians, where_.shape()).rectangle(where_, values_.data());
  }
  [[nodiscard]] float at(Pixel p) const {
    return values_[static_cast<std::size_t>((p.y - where_.y0) * where_.nx + p.x - where_.x0)];
  }
  /// The brightest of the four pixels about a centre.
  [[nodiscard]] Pixel peak_pixel(const GaussianComponent& g) const {
    const Pixel first{static_cast<std::int64_t>(std::floor(g.y)), static_cast<std::int64_t>(std::floor(g.x))};
    Pixel best = first;
    for (const Pixel p : {Pixel{first.y, first.x + 1}, Pixel{first.y + 1, first.x}, Pixel{first.y + 1, first.x + 1}})
      if (at(p) > at(best)) best = p;
    return best;
  }

 private:
  Rect where_;
  std::vector<float> values_;
};

struct Line {
  float least = 0;
  bool no_dip = true;  ///< least and largest stand at the ends
};

/// One pixel per row or column, whichever the line crosses more of.
Line line_between(const SumOfAll& sum, Pixel a, Pixel b) {
  const std::int64_t steps = std::max(std::abs(b.y - a.y), std::abs(b.x - a.x));
  Line line{sum.at(a), true};
  float most = line.least;
  std::int64_t least_at = 0, most_at = 0;
  for (std::int64_t k = 1; k <= steps; ++k) {
    const double part = static_cast<double>(k) / static_cast<double>(steps);
    const float value = sum.at({a.y + std::llround(part * static_cast<double>(b.y - a.y)),
                                a.x + std::llround(part * static_cast<double>(b.x - a.x))});
    if (value < line.least) line.least = value, least_at = k;
    if (value > most) most = value, most_at = k;
  }
  const auto at_end = [&](std::int64_t k) { return k == 0 || k == steps; };
  line.no_dip = at_end(least_at) && at_end(most_at);
  return line;
}

/// FWHM of the ellipse along a direction of unit length.
double fwhm_along(const Covariance& c, double ux, double uy) {
  const double det = c.xx * c.yy - c.xy * c.xy;
  return std::sqrt(det / (c.yy * ux * ux - 2 * c.xy * ux * uy + c.xx * uy * uy));
}

bool are_close(const GaussianComponent& a, const GaussianComponent& b, double tolerance) {
  const double dx = b.x - a.x, dy = b.y - a.y, distance = std::hypot(dx, dy);
  if (distance == 0) return true;
  const double ux = dx / distance, uy = dy / distance;
  return distance <= 0.5 * tolerance * (fwhm_along(a.fwhm2, ux, uy) + fwhm_along(b.fwhm2, ux, uy));
}

bool are_one(const SumOfAll& sum, const GaussianComponent& a, const GaussianComponent& b, double floor,
             double tolerance) {
  const Pixel of_a = sum.peak_pixel(a), of_b = sum.peak_pixel(b);
  if (of_a == of_b) return true;
  const Line line = line_between(sum, of_a, of_b);
  if (line.no_dip) return true;
  const double lower = std::min(a.peak, b.peak);
  return lower - line.least <= tolerance * floor && are_close(a, b, tolerance);
}

class Union {
 public:
  explicit Union(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), std::size_t{0}); }
  std::size_t root(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(std::size_t i, std::size_t j) {
    const auto [first, second] = std::minmax({root(i), root(j)});
    parent_[second] = first;
  }

 private:
  std::vector<std::size_t> parent_;
};

}  // namespace

std::vector<std::int64_t> group_gaussians(std::span<const GaussianComponent> gaussians, double floor,
                                          const GroupOptions& options) {
  const std::size_t count = gaussians.size();
  std::vector<std::int64_t> groups(count, 0);
  if (count < 2 || options.by_island) return groups;
  const SumOfAll sum(gaussians);
  Union joined(count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = i + 1; j < count; ++j)
      if (joined.root(i) != joined.root(j) && are_one(sum, gaussians[i], gaussians[j], floor, options.tolerance))
        joined.join(i, j);
  std::vector<std::int64_t> number(count, -1);
  std::int64_t next = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::int64_t& its = number[joined.root(i)];
    if (its < 0) its = next++;
    groups[i] = its;
  }
  return groups;
}

}  // namespace reber
