// SPDX-License-Identifier: BSD-3-Clause
// Loops without branches over the pixels of a plane.
#include "core/run/cube/moment_sums.hpp"

#include <cmath>
#include <limits>

namespace reber {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace

void MomentSums::add(const float* values, std::size_t from, std::size_t count, double width, double at, float above) {
  const float most = std::numeric_limits<float>::max();
  double* const zeroth = zeroth_.data() + from;
  float* const seen = seen_.data() + from;
  for (std::size_t i = 0; i < count; ++i) {
    const bool in = values[i] > above && std::abs(values[i]) <= most;
    zeroth[i] += in ? static_cast<double>(values[i]) * width : 0.0;
    seen[i] = in ? 1.0F : seen[i];
  }
  if (first_.empty()) return;
  double* const first = first_.data() + from;
  for (std::size_t i = 0; i < count; ++i) {
    const bool in = values[i] > above && std::abs(values[i]) <= most;
    first[i] += in ? static_cast<double>(values[i]) * width * at : 0.0;
  }
  if (second_.empty()) return;
  double* const second = second_.data() + from;
  for (std::size_t i = 0; i < count; ++i) {
    const bool in = values[i] > above && std::abs(values[i]) <= most;
    second[i] += in ? static_cast<double>(values[i]) * width * at * at : 0.0;
  }
}

double MomentSums::zeroth(std::size_t i) const { return seen_[i] > 0 ? zeroth_[i] : kNaN; }

double MomentSums::mean(std::size_t i) const { return seen_[i] > 0 && zeroth_[i] > 0 ? first_[i] / zeroth_[i] : kNaN; }

double MomentSums::variance(std::size_t i) const {
  const double middle = mean(i), sum = second_[i] / zeroth_[i] - middle * middle;
  return sum >= 0 ? sum : kNaN;
}

double MomentSums::dispersion(std::size_t i) const { return std::sqrt(variance(i)); }

}  // namespace reber
