// SPDX-License-Identifier: BSD-3-Clause
// Noise tables stretched from the middle's beam to those of the classes.
#include "core/seam/compute/beam_classes.hpp"

#include <algorithm>
#include <cmath>

namespace reber {
namespace {

/// Symmetric root of a positive definite matrix: (M + sqrt(det) 1) / sqrt(trace + 2 sqrt(det)).
Covariance root_of(const Covariance& m) {
  const double root = std::sqrt(m.xx * m.yy - m.xy * m.xy), scale = 1 / std::sqrt(m.xx + m.yy + 2 * root);
  return {scale * (m.xx + root), scale * m.xy, scale * (m.yy + root)};
}

Covariance inverse_of(const Covariance& m) {
  const double det = m.xx * m.yy - m.xy * m.xy;
  return {m.yy / det, -m.xy / det, m.xx / det};
}

/// a b a for symmetric matrices.
Covariance about(const Covariance& a, const Covariance& b) {
  const double c00 = a.xx * b.xx + a.xy * b.xy, c01 = a.xx * b.xy + a.xy * b.yy;
  const double c10 = a.xy * b.xx + a.yy * b.xy, c11 = a.xy * b.xy + a.yy * b.yy;
  return {c00 * a.xx + c01 * a.xy, c00 * a.xy + c01 * a.yy, c10 * a.xy + c11 * a.yy};
}

double at(const NoiseCorrelation& noise, double dy, double dx) {
  const double y = std::floor(dy), x = std::floor(dx), of_y = dy - y, of_x = dx - x;
  const auto iy = static_cast<std::int64_t>(y), ix = static_cast<std::int64_t>(x);
  return (1 - of_y) * ((1 - of_x) * noise.at(iy, ix) + of_x * noise.at(iy, ix + 1)) +
         of_y * ((1 - of_x) * noise.at(iy + 1, ix) + of_x * noise.at(iy + 1, ix + 1));
}

bool alike(const Covariance& a, const Covariance& b) {
  constexpr double kMost = 0.04;  // of FWHM^2
  const double size = kMost * std::sqrt(a.xx * a.yy - a.xy * a.xy);
  return std::abs(a.xx - b.xx) <= size && std::abs(a.xy - b.xy) <= size && std::abs(a.yy - b.yy) <= size;
}

}  // namespace

NoiseCorrelation stretched(const NoiseCorrelation& noise, const Covariance& from, const Covariance& to) {
  // A = to^(-1/2) (to^(1/2) from to^(1/2))^(1/2) to^(-1/2): A to A = from.
  const Covariance root = root_of(to);
  const Covariance a = about(inverse_of(root), root_of(about(root, from)));
  const Covariance back = inverse_of(a);
  const double grows = std::max(std::hypot(back.xx, back.xy), std::hypot(back.xy, back.yy));
  const auto reach = static_cast<std::int64_t>(std::ceil(static_cast<double>(noise.reach()) * grows));
  std::vector<double> values;
  for (std::int64_t iy = 0; iy <= reach; ++iy)
    for (std::int64_t ix = -reach; ix <= reach; ++ix) {
      const double dx = static_cast<double>(ix), dy = static_cast<double>(iy);
      values.push_back(at(noise, a.xy * dx + a.yy * dy, a.xx * dx + a.xy * dy));
    }
  return NoiseCorrelation::of_table(reach, std::move(values));
}

BeamClasses::BeamClasses(const NoiseCorrelation& weights, const NoiseCorrelation& errors,
                         const std::optional<Covariance>& middle, Errors how)
    : middle_(middle), errors_(errors), how_(how) {
  if (!middle) classes_.push_back({{}, weights, errors});
}

void BeamClasses::add(const Covariance& beam) {
  if (!middle_) return;
  const auto found = std::ranges::find_if(classes_, [&](const Class& one) { return alike(one.beam, beam); });
  of_.push_back(static_cast<std::size_t>(found - classes_.begin()));
  if (found != classes_.end()) return;
  const NoiseCorrelation weights = NoiseCorrelation::of_shape(beam);
  classes_.push_back({beam, weights,
                      how_ == Errors::of_beam       ? weights
                      : how_ == Errors::as_measured ? errors_
                                                    : stretched(errors_, *middle_, beam)});
}

}  // namespace reber
