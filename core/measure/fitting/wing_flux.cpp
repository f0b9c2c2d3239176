// SPDX-License-Identifier: BSD-3-Clause
// A grid of profiles against the means of rings.
#include "core/measure/fitting/wing_flux.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/significance.hpp"
#include "core/measure/fitting/pair_sums.hpp"
#include "core/measure/sources/fit_parts.hpp"

namespace reber {
namespace {

/// Ellipses about a centroid, of the pixels' second moments; s is a radius of the circle with their area.
struct Ellipses {
  double x = 0, y = 0, xx = 0, xy = 0, yy = 0;
  bool known = false;
  [[nodiscard]] double at(double px, double py) const {
    const double dx = px - x, dy = py - y;
    return std::sqrt(std::max(0.0, xx * dx * dx + 2 * xy * dx * dy + yy * dy * dy));
  }
};

Ellipses ellipses_of(const FitPixels& pixels) {
  double s = 0, sx = 0, sy = 0, sxx = 0, sxy = 0, syy = 0;
  const double x0 = pixels.x.front(), y0 = pixels.y.front();
  for (std::size_t i = 0; i < pixels.value.size(); ++i) {
    const double value = pixels.value[i], dx = pixels.x[i] - x0, dy = pixels.y[i] - y0;
    s += value, sx += value * dx, sy += value * dy;
    sxx += value * dx * dx, sxy += value * dx * dy, syy += value * dy * dy;
  }
  const double mx = sx / s, my = sy / s, xx = sxx / s - mx * mx, xy = sxy / s - mx * my, yy = syy / s - my * my;
  const double root = std::sqrt(xx * yy - xy * xy);
  if (!(s > 0 && xx > 0 && root > 0)) return {};
  return {x0 + mx, y0 + my, yy / root, -xy / root, xx / root, true};
}

/// Pixels of a narrow range of s.
struct Bin {
  double count = 0, summed = 0;  ///< and how many of them are in the sum
};

struct Ring {
  std::size_t first, end;  ///< bins
  double mean, error;
};

/// All pixels by their s, in bins of half a pixel, and rings of them.
struct Profile {
  std::vector<Bin> bins;
  std::vector<double> log_middle;  ///< of each bin
  std::vector<Ring> rings;
  static constexpr double kBin = 0.5;
  [[nodiscard]] static double middle(std::size_t bin) { return (static_cast<double>(bin) + 0.5) * kBin; }
};

Profile profile_of(const FitPixels& summed, const FitPixels& beyond, const Ellipses& ellipses, double width,
                   const NoiseCorrelation& noise) {
  Profile profile;
  const auto per_ring = static_cast<std::size_t>(std::max(1.0, std::round(width / Profile::kBin)));
  std::vector<FitPixels> rings;
  const auto take = [&](const FitPixels& pixels, double part) {
    for (std::size_t i = 0; i < pixels.value.size(); ++i) {
      const auto bin = static_cast<std::size_t>(ellipses.at(pixels.x[i], pixels.y[i]) / Profile::kBin);
      if (bin >= profile.bins.size()) profile.bins.resize(bin + 1);
      if (bin / per_ring >= rings.size()) rings.resize(bin / per_ring + 1);
      ++profile.bins[bin].count, profile.bins[bin].summed += part;
      append_pixel(pixels, i, rings[bin / per_ring]);
    }
  };
  take(summed, 1);
  take(beyond, 0);
  for (std::size_t k = 0; k < profile.bins.size(); ++k) profile.log_middle.push_back(std::log(Profile::middle(k)));
  for (std::size_t k = 0; k < rings.size(); ++k) {
    if (rings[k].value.empty()) continue;
    double sum = 0;
    for (const double value : rings[k].value) sum += value;
    const auto count = static_cast<double>(rings[k].value.size());
    profile.rings.push_back({k * per_ring, std::min((k + 1) * per_ring, profile.bins.size()), sum / count,
                             std::hypot(sum_error(rings[k], noise), kSlight * sum) / count});
  }
  return profile;
}

struct Trial {
  double beyond, error, chi2;
};
/// The best height of one shape of profile: what it has beyond the sum, the error of that, and chi^2 of the rings.
///   power: (s / h0)^p of each bin, for the h0 where `scale` is 1
Trial trial_of(const Profile& profile, const std::vector<double>& power, double scale, double h, double p) {
  constexpr double kNothing = 40;
  std::vector<double> shape(profile.bins.size(), 0.0);
  double inside = 0;
  for (std::size_t k = 0; k < shape.size() && power[k] * scale <= kNothing; ++k) {
    shape[k] = std::exp(-power[k] * scale);
    inside += shape[k] * profile.bins[k].summed;
  }
  double top = 0, bottom = 0, whole = 0;
  for (const Ring& ring : profile.rings) {
    double mean = 0, count = 0;
    for (std::size_t k = ring.first; k < ring.end; ++k)
      mean += shape[k] * profile.bins[k].count, count += profile.bins[k].count;
    mean /= count;
    const double weight = 1 / (ring.error * ring.error);
    top += weight * mean * ring.mean, bottom += weight * mean * mean, whole += weight * ring.mean * ring.mean;
  }
  const double height = top / bottom, beyond = 2 * std::numbers::pi * h * h / p * std::tgamma(2 / p) - inside;
  return {std::max(0.0, height * beyond), std::abs(beyond) / std::sqrt(bottom), whole - top * height};
}

constexpr std::array kPowers{1.0, 1.25, 1.5, 2.0, 2.5, 4.0};
constexpr double kGaussian = 2;

/// Profiles of one power and of every width.
std::vector<Trial> trials_of(const Profile& profile, double p, double beam_px) {
  constexpr double kStep = 1.04, kLeast = 0.3;  // of the beam
  const double first = kLeast * beam_px, most = Profile::middle(profile.bins.size()) / 2;
  if (!(first < most)) return {};
  std::vector<double> power;
  for (const double log_middle : profile.log_middle) power.push_back(std::exp(p * (log_middle - std::log(first))));
  std::vector<Trial> trials;
  for (double h = first; h < most; h *= kStep) trials.push_back(trial_of(profile, power, std::pow(first / h, p), h, p));
  return trials;
}

double least_chi2(const std::vector<Trial>& trials) {
  double least = std::numeric_limits<double>::infinity();
  for (const Trial& one : trials) least = std::min(least, one.chi2);
  return least;
}

/// Nothing where the pixels have no ellipse or make fewer than four rings.
std::optional<Profile> profile_of(const FitPixels& summed, const FitPixels& beyond, double beam_px,
                                  const NoiseCorrelation& noise) {
  constexpr std::size_t kFewest = 4;
  const Ellipses ellipses = ellipses_of(summed);
  if (!ellipses.known) return std::nullopt;
  Profile profile = profile_of(summed, beyond, ellipses, beam_px, noise);
  return profile.rings.size() < kFewest ? std::nullopt : std::optional(std::move(profile));
}

}  // namespace

WingFlux wing_flux(const FitPixels& summed, const FitPixels& beyond, double beam_px, const NoiseCorrelation& noise) {
  const std::optional<Profile> profile = profile_of(summed, beyond, beam_px, noise);
  if (!profile) return {};
  std::vector<Trial> trials;
  for (const double p : kPowers) std::ranges::copy(trials_of(*profile, p, beam_px), std::back_inserter(trials));
  double pixels = 0;
  for (const double value : summed.value) pixels += value;
  std::erase_if(trials, [&](const Trial& one) { return !(one.beyond <= pixels / 2); });
  const double least = least_chi2(trials);
  if (!(least <= 2 * static_cast<double>(profile->rings.size() - 1))) return {};
  double weight = 0, sum = 0, square = 0;
  for (const Trial& one : trials) {
    const double part = std::exp(-0.5 * (one.chi2 - least));
    weight += part, sum += part * one.beyond;
    square += part * (one.beyond * one.beyond + one.error * one.error);
  }
  const double mean = sum / weight;
  return {mean, std::sqrt(std::max(0.0, square / weight - mean * mean))};
}

Wings wings_of(const FitPixels& summed, const FitPixels& beyond, double beam_px, const NoiseCorrelation& noise) {
  constexpr double kFall = kDoubted * kDoubted;
  const std::optional<Profile> profile = profile_of(summed, beyond, beam_px, noise);
  if (!profile) return Wings::unknown;
  double wider = std::numeric_limits<double>::infinity();
  for (const double p : kPowers)
    if (p < kGaussian) wider = std::min(wider, least_chi2(trials_of(*profile, p, beam_px)));
  const double fall = least_chi2(trials_of(*profile, kGaussian, beam_px)) - wider;
  return fall > kFall ? Wings::wider : fall < -kFall ? Wings::gaussian : Wings::unknown;
}

bool lies_evenly(const FitPixels& pixels, const BackgroundModel& background) {
  if (background.mean_map) return false;
  const MeshGrid& grid = background.grid;
  const auto [left, right] = std::ranges::minmax(pixels.x);
  const auto [top, bottom] = std::ranges::minmax(pixels.y);
  // From the last node before the pixels to the first one behind them.
  const auto near = [](const std::vector<PixelSpan>& spans, std::int64_t first, std::int64_t last) {
    const auto twice = [](const PixelSpan& span) { return span.begin + span.end - 1; };
    const auto begin = std::ranges::upper_bound(spans, 2 * first, {}, twice);
    const auto end = std::ranges::lower_bound(spans, 2 * last, {}, twice);
    std::vector<std::size_t> found;
    for (auto one = begin == spans.begin() ? begin : begin - 1; one != spans.end() && one <= end; ++one)
      found.push_back(static_cast<std::size_t>(one - spans.begin()));
    return found;
  };
  const std::vector<std::size_t> cols = near(grid.cols, left, right);
  float low = std::numeric_limits<float>::infinity(), high = -low, noise = low;
  for (const std::size_t j : near(grid.rows, top, bottom))
    for (const std::size_t i : cols) {
      const std::size_t k = j * grid.cols.size() + i;
      low = std::min(low, background.mean[k]), high = std::max(high, background.mean[k]);
      noise = std::min(noise, background.rms[k]);
    }
  return high - low < noise / 2;
}

}  // namespace reber
