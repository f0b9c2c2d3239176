// SPDX-License-Identifier: BSD-3-Clause
// The sources of a run drawn as Gaussians, a band of rows at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/shape.hpp"
#include "core/measure/sources/source.hpp"

namespace reber {

/// Sum of the sources' Gaussians in the image's own unit (Source::model). The background is not part of it. A Gaussian
/// is drawn out to 2.55 FWHM, where it falls below 2^-26 of its peak: a quarter of the smallest step of a float there.
/// Sums are in double, in the catalogue's order. Sources without a shape or a peak are left out.
class ModelMap {
 public:
  ModelMap(std::span<const Source> sources, Shape shape);
  ModelMap(std::span<const GaussianComponent> gaussians, Shape shape);

  /// Rows [y0, y0 + ny), without gaps.
  void rows(std::int64_t y0, std::int64_t ny, float* out) const { rectangle({y0, 0, ny, shape_.nx}, out); }
  /// A rectangle of the grid, which may reach beyond the image, without gaps.
  void rectangle(const Rect& where, float* out) const;
  /// Sources that are drawn.
  [[nodiscard]] std::int64_t drawn() const { return static_cast<std::int64_t>(gaussians_.size()); }

 private:
  struct Gaussian {
    double peak, x, y;
    double qxx, qxy, qyy;  ///< exponent: -(qxx dx^2 + 2 qxy dx dy + qyy dy^2)
    double reach_y;        ///< rows further than this from y are below the cut
  };
  void take(const GaussianComponent& gaussian);
  static void add(const Gaussian& gaussian, const Rect& where, std::vector<double>& sums);

  Shape shape_;
  std::vector<Gaussian> gaussians_;
};

}  // namespace reber
