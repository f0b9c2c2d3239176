// SPDX-License-Identifier: BSD-3-Clause
// Bilinear sums of FWHM^2: what lies between two beams is a beam.
#include "core/sky/model/beam_field.hpp"

#include <algorithm>
#include <cmath>

namespace reber {
namespace {

struct Part {
  std::size_t first = 0, second = 0;
  double of_second = 0;
};

Part part_of(double pixel, double step, std::int64_t nodes) {
  const double at = pixel > 0 ? std::min(pixel / step, static_cast<double>(nodes - 1)) : 0;
  const auto first = static_cast<std::int64_t>(at);
  return {static_cast<std::size_t>(first), static_cast<std::size_t>(std::min(first + 1, nodes - 1)),
          at - static_cast<double>(first)};
}

double mixed(double a, double b, double part) { return a + part * (b - a); }

Covariance mixed(const Covariance& a, const Covariance& b, double part) {
  return {a.xx + part * (b.xx - a.xx), a.xy + part * (b.xy - a.xy), a.yy + part * (b.yy - a.yy)};
}

/// Bilinear.
template <class T>
T between(const BeamNodes& nodes, const std::vector<T>& all, double x, double y) {
  const Part column = part_of(x, nodes.step_px, nodes.shape.nx), row = part_of(y, nodes.step_px, nodes.shape.ny);
  const auto width = static_cast<std::size_t>(nodes.shape.nx);
  const auto along = [&](std::size_t of_row) {
    return mixed(all[of_row * width + column.first], all[of_row * width + column.second], column.of_second);
  };
  return mixed(along(row.first), along(row.second), row.of_second);
}

}  // namespace

BeamField::BeamField(std::shared_ptr<const BeamNodes> nodes) : nodes_(std::move(nodes)) {
  if (!nodes_->pixel_deg2.empty()) areas_ = nodes_;
  const Shape& shape = nodes_->shape;
  nominal_ = at(0.5 * nodes_->step_px * static_cast<double>(shape.nx - 1),
                0.5 * nodes_->step_px * static_cast<double>(shape.ny - 1))
                 .sky;
}

LocalBeam BeamField::at(double x, double y) const {
  const Ellipse sky = ellipse_of(between(*nodes_, nodes_->sky, x, y));
  return {{sky.major, sky.minor, sky.pa_deg}, between(*nodes_, nodes_->pixels, x, y)};
}

double BeamField::pixel_deg2(double x, double y) const { return between(*areas_, areas_->pixel_deg2, x, y); }

}  // namespace reber
