// SPDX-License-Identifier: BSD-3-Clause
// Pairs with what was there before count twice, since each is there in two orders.
#include "core/measure/fitting/growing_noise.hpp"

#include <array>

namespace reber {

GrowingNoise::GrowingNoise(std::int64_t left, std::int64_t right, std::int64_t top, std::int64_t bottom,
                           const NoiseCorrelation& noise)
    : reach_(noise.reach()),
      left_(left - reach_),
      top_(top - reach_),
      nx_(right - left + 1 + 2 * reach_),
      grid_(static_cast<std::size_t>(nx_ * (bottom - top + 1 + 2 * reach_)), 0.0) {
  for (std::int64_t dy = -reach_; dy <= reach_; ++dy)
    for (std::int64_t dx = -reach_; dx <= reach_; ++dx) correlation_.push_back(noise.at(dy, dx));
}

double GrowingNoise::together(std::int64_t place) const {
  constexpr std::int64_t kLanes = 4;  // a single sum would wait for itself
  std::array<double, kLanes> lanes{};
  const std::int64_t width = 2 * reach_ + 1;
  const double* correlation = correlation_.data();
  for (std::int64_t dy = -reach_; dy <= reach_; ++dy, correlation += width) {
    const double* other = grid_.data() + place + dy * nx_ - reach_;
    std::int64_t k = 0;
    for (; k + kLanes <= width; k += kLanes)
      for (std::int64_t lane = 0; lane < kLanes; ++lane) lanes[lane] += correlation[k + lane] * other[k + lane];
    for (; k < width; ++k) lanes[0] += correlation[k] * other[k];
  }
  return lanes[0] + lanes[1] + lanes[2] + lanes[3];
}

double GrowingNoise::add(const FitPixels& more) {
  constexpr std::size_t kMostPixels = 500;
  const std::size_t count = more.value.size(), step = count / kMostPixels + 1;
  for (std::size_t i = 0; i < count; ++i) grid_[static_cast<std::size_t>(at(more, i))] = more.rms[i];
  for (std::size_t i = 0; i < count; i += step)
    variance_ += static_cast<double>(step) * more.rms[i] * together(at(more, i));
  for (std::size_t i = 0; i < count; ++i) grid_[static_cast<std::size_t>(at(more, i))] *= 2;
  return variance_;
}

}  // namespace reber
