// SPDX-License-Identifier: BSD-3-Clause
// What is fitted where a whole island is not: its parts, and the cores of sources on diffuse emission.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/sources/fit_ladder.hpp"
#include "core/sources/source.hpp"

namespace reber {
namespace {

/// Radii in FWHMs of the beam: the core's pixels lie within the first, the emission around it up to the second.
constexpr double kCoreRadius = 1, kRingRadius = 1.5;
/// Of the peak: with a higher level around it there is no compact source to tell from the emission.
constexpr double kMostLevel = 0.5;

/// Distance from the origin in FWHMs of the beam.
double in_beams(const Covariance& beam, double dx, double dy) {
  const double determinant = beam.xx * beam.yy - beam.xy * beam.xy;
  return std::sqrt((beam.yy * dx * dx - 2 * beam.xy * dx * dy + beam.xx * dy * dy) / determinant);
}

void add_pixel(const FitPixels& from, std::size_t i, FitPixels& to) {
  to.y.push_back(from.y[i]), to.x.push_back(from.x[i]);
  to.value.push_back(from.value[i]), to.rms.push_back(from.rms[i]);
}

std::size_t nearest_pixel(const FitPixels& pixels, const GaussianComponent& at) {
  std::size_t nearest = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < pixels.value.size(); ++i)
    if (const double d = std::hypot(pixels.x[i] - at.x, pixels.y[i] - at.y); d < least) least = d, nearest = i;
  return nearest;
}

}  // namespace

bool FitLadder::core() const { return (flag_ & kFlagCore) != 0; }

/// The level is the median of the ring, 0 where the island ends before it; a point source leaves 1 % of its peak there.
std::optional<FitLadder> FitLadder::core_ladder() const {
  if (!setting_.beam || core() || initial_.size() != 1 || pixels_.value.empty()) return std::nullopt;
  const FitPixels& all = around_.value.empty() ? pixels_ : around_;
  const std::size_t top = around_.value.empty()
                              ? static_cast<std::size_t>(std::ranges::max_element(all.value) - all.value.begin())
                              : nearest_pixel(all, initial_[0].start);
  FitPixels pixels;
  std::vector<double> ring;
  for (std::size_t i = 0; i < all.value.size(); ++i) {
    const double distance = in_beams(*setting_.beam, all.x[i] - all.x[top], all.y[i] - all.y[top]);
    if (distance <= kCoreRadius)
      add_pixel(all, i, pixels);
    else if (distance <= kRingRadius)
      ring.push_back(all.value[i]);
  }
  double level = 0;
  if (!ring.empty()) {
    const auto middle = ring.begin() + static_cast<std::ptrdiff_t>(ring.size() / 2);
    std::ranges::nth_element(ring, middle);
    level = *middle;
  }
  const double peak = all.value[top] - level;
  if (level > kMostLevel * all.value[top] || !(peak > setting_.seed * all.rms[top])) return std::nullopt;
  for (double& value : pixels.value) value -= level;
  Candidate one = initial_[0];
  one.start = {peak, static_cast<double>(all.x[top]), static_cast<double>(all.y[top]), *setting_.beam};
  one.bounds.reach = 0.5 * ellipse_of(*setting_.beam).major;
  one.bounds.most_fwhm = 2 * kCoreRadius * ellipse_of(*setting_.beam).major;
  // What a beam's Gaussian has left at the core's rim takes the place of the flood threshold, where islands end.
  LadderSetting setting = setting_;
  setting.flood = peak * std::exp2(-4 * kCoreRadius * kCoreRadius) / all.rms[top];
  return FitLadder(std::move(pixels), {one}, setting, flag_ | kFlagCore);
}

/// The island's pixels that a core at the candidate's peak and its ring need.
FitPixels FitLadder::around(const GaussianComponent& peak) const {
  FitPixels pixels;
  for (std::size_t i = 0; setting_.beam && i < pixels_.value.size(); ++i)
    if (in_beams(*setting_.beam, pixels_.x[i] - peak.x, pixels_.y[i] - peak.y) <= kRingRadius)
      add_pixel(pixels_, i, pixels);
  return pixels;
}

std::vector<FitLadder> FitLadder::parts() const {
  std::vector<FitLadder> ladders;
  if (results_.empty() && rung_ == Rung::finished)
    if (std::optional<FitLadder> core = core_ladder()) ladders.push_back(std::move(*core));
  if (!in_parts_) return ladders;
  // A pixel goes to the component that is brightest there.
  std::vector<FitPixels> pixels(initial_.size());
  std::array<double, 6> unused{};
  for (std::size_t i = 0; i < pixels_.value.size(); ++i) {
    std::size_t owner = 0;
    double most = -1;
    for (std::size_t k = 0; k < initial_.size(); ++k) {
      const double value = initial_[k].start.evaluate(pixels_.x[i], pixels_.y[i], unused);
      if (value > most) most = value, owner = k;
    }
    add_pixel(pixels_, i, pixels[owner]);
  }
  for (std::size_t k = 0; k < initial_.size(); ++k) {
    FitPixels near = around(initial_[k].start);
    // A compact peak can lie below the wide Gaussians of its neighbours everywhere.
    if (pixels[k].value.empty()) pixels[k] = near;
    if (pixels[k].value.empty()) continue;
    ladders.emplace_back(std::move(pixels[k]), std::vector<Candidate>{initial_[k]}, setting_, flag_ | kFlagPart);
    ladders.back().around_ = std::move(near);
  }
  return ladders;
}

}  // namespace reber
