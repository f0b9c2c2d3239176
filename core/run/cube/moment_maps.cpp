// SPDX-License-Identifier: BSD-3-Clause
// Moments and the quadratic forms of their errors, strip by strip.
#include "core/run/cube/moment_maps.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/run/cube/moment_sums.hpp"

namespace reber {
namespace {

constexpr std::int64_t kW = Strip::kPixels;
using Row = std::array<double, static_cast<std::size_t>(kW)>;
const double kRootTwoPi = std::sqrt(2 * std::numbers::pi);

}  // namespace

std::string name_of(Moment moment) {
  const std::string word(to_string(moment));
  return moment == Moment::width || moment == Moment::peak ? word : "mom" + word;
}

std::string unit_of(Moment moment, const std::string& brightness, const std::string& coordinate) {
  if (moment == Moment::peak) return brightness;
  if (moment == Moment::zeroth) return brightness + (brightness.empty() ? "" : " ") + coordinate;
  return coordinate;
}

/// Of one strip.
struct MomentMaps::Values {
  explicit Values(int highest) : sums(highest, static_cast<std::size_t>(kW)) {}
  MomentSums sums;
  std::array<float, static_cast<std::size_t>(kW)> peak{}, peak_at{};
};

MomentMaps::MomentMaps(std::vector<Moment> moments, const SpectralGrid& grid, const ChannelNoise& noise)
    : moments_(std::move(moments)), middle_(grid.at[grid.at.size() / 2]), width_(grid.width), noise_(noise) {
  for (const Moment moment : moments_)
    highest_ = std::max(highest_, moment == Moment::second ? 2 : moment == Moment::first ? 1 : 0);
  for (const double x : grid.at) at_.push_back(x - middle_);
}

void MomentMaps::make(const Strip& strip, const std::vector<float*>& out) const {
  Values values(highest_);
  fill(strip, values);
  std::array<float, static_cast<std::size_t>(kW)> noise{};
  noise_.map(strip.first, strip.pixels, noise.data());
  for (std::size_t m = 0; m < moments_.size(); ++m) {
    value(moments_[m], values, strip.pixels, out[2 * m]);
    error(moments_[m], strip, values, out[2 * m + 1]);
    for (std::int64_t x = 0; x < strip.pixels; ++x) out[2 * m + 1][x] *= noise[static_cast<std::size_t>(x)];
  }
}

void MomentMaps::fill(const Strip& strip, Values& values) const {
  const float lowest = -std::numeric_limits<float>::infinity();
  values.peak.fill(lowest);
  for (std::int64_t k = 0; k < strip.planes; ++k) {
    const float* const row = strip.plane(k);
    values.sums.add(row, 0, static_cast<std::size_t>(kW), width_[static_cast<std::size_t>(k)],
                    at_[static_cast<std::size_t>(k)], lowest);
    for (std::int64_t x = 0; x < kW; ++x) {
      const auto i = static_cast<std::size_t>(x);
      const bool higher = row[x] > values.peak[i];
      values.peak[i] = higher ? row[x] : values.peak[i];
      values.peak_at[i] = higher ? static_cast<float>(k) : values.peak_at[i];
    }
  }
}

void MomentMaps::value(Moment moment, const Values& values, std::int64_t pixels, float* out) const {
  for (std::int64_t x = 0; x < pixels; ++x) {
    const auto i = static_cast<std::size_t>(x);
    const double sum = values.sums.zeroth(i), peak = static_cast<double>(values.peak[i]);
    double v = sum;
    if (moment == Moment::first) v = middle_ + values.sums.mean(i);
    if (moment == Moment::second) v = values.sums.dispersion(i);
    if (moment == Moment::width) v = sum > 0 ? sum / (kRootTwoPi * peak) : std::nan("");
    if (moment == Moment::peak) v = std::isfinite(sum) ? peak : std::nan("");
    out[x] = static_cast<float>(v);
  }
}

/// Adds sum over k and l of b_k b_l rho(k - l): each product of different channels stands there twice.
void MomentMaps::add_products(const std::vector<double>& terms, std::vector<double>& sums) const {
  const auto planes = static_cast<std::int64_t>(width_.size());
  const std::vector<double>& rho = noise_.correlation();
  for (std::int64_t k = 0; k < planes; ++k) {
    const double* const own = terms.data() + k * kW;
    Row others{};
    const std::int64_t most = std::min(k, static_cast<std::int64_t>(rho.size()) - 1);
    for (std::int64_t lag = 1; lag <= most; ++lag) {
      const double twice = 2 * rho[static_cast<std::size_t>(lag)];
      const double* const other = own - lag * kW;
      for (std::size_t x = 0; x < others.size(); ++x) others[x] += twice * other[x];
    }
    for (std::size_t x = 0; x < others.size(); ++x) sums[x] += own[x] * (own[x] + others[x]);
  }
}

void MomentMaps::error(Moment moment, const Strip& strip, const Values& values, float* out) const {
  Row mean{}, square{}, factor{};
  for (std::size_t x = 0; x < mean.size(); ++x) {
    const double sum = values.sums.zeroth(x), peak = static_cast<double>(values.peak[x]);
    if (moment == Moment::first || moment == Moment::second) mean[x] = values.sums.mean(x);
    if (moment == Moment::second) square[x] = values.sums.variance(x);
    factor[x] = std::isfinite(sum) ? 1 : std::nan("");
    if (moment == Moment::first) factor[x] = sum > 0 ? 1 / sum : std::nan("");
    if (moment == Moment::second) factor[x] = sum > 0 ? 1 / (2 * sum * std::sqrt(square[x])) : std::nan("");
    if (moment == Moment::width) factor[x] = sum > 0 ? 1 / (kRootTwoPi * peak) : std::nan("");
  }
  std::vector<double> terms(static_cast<std::size_t>(strip.planes * kW)), sums(static_cast<std::size_t>(kW));
  for (std::int64_t k = 0; k < strip.planes; ++k) {
    const float* const row = strip.plane(k);
    double* const out_row = terms.data() + k * kW;
    const double s = noise_.planes()[static_cast<std::size_t>(k)];
    const double a = s * width_[static_cast<std::size_t>(k)], at = at_[static_cast<std::size_t>(k)];
    for (std::size_t x = 0; x < mean.size(); ++x) {
      const double d = at - mean[x], one = row[x] == row[x] ? a * factor[x] : 0.0;
      out_row[x] = moment == Moment::first ? one * d : moment == Moment::second ? one * (d * d - square[x]) : one;
    }
    if (moment != Moment::width && moment != Moment::peak) continue;
    for (std::size_t x = 0; x < mean.size(); ++x) {
      const bool peak = values.peak_at[x] == static_cast<float>(k);
      if (moment == Moment::peak) out_row[x] = peak ? s * factor[x] : 0;
      if (moment == Moment::width && peak)
        out_row[x] -= s * factor[x] * values.sums.zeroth(x) / static_cast<double>(values.peak[x]);
    }
  }
  add_products(terms, sums);
  for (std::int64_t x = 0; x < strip.pixels; ++x) {
    const auto i = static_cast<std::size_t>(x);
    out[x] = std::isfinite(factor[i]) ? static_cast<float>(std::sqrt(sums[i])) : std::nanf("");
  }
}

}  // namespace reber
