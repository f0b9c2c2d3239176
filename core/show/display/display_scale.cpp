// SPDX-License-Identifier: BSD-3-Clause
// Stretches, and limits by their rules.
#include "core/show/display/display_scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace reber {
namespace {

constexpr double kSigmaPerDeviation = 1.4826;

struct Line {
  double start = 0, slope = 0;  ///< value at index 0, step from one index to the next
};

/// Least squares over the indices that are kept.
Line fit_line(const std::vector<float>& values, const std::vector<bool>& rejected) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  // About the middle: sums of small numbers.
  const double middle = 0.5 * static_cast<double>(values.size() - 1);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (rejected[i]) continue;
    const double x = static_cast<double>(i) - middle;
    n += 1;
    sx += x;
    sy += values[i];
    sxx += x * x;
    sxy += x * values[i];
  }
  const double spread = n * sxx - sx * sx;
  const double slope = spread > 0 ? (n * sxy - sx * sy) / spread : 0;
  return {(sy - slope * sx) / n - slope * middle, slope};
}

/// One round of rejection beyond 2.5 sigma of the residuals; each takes a hundredth of the sample before it along, as
/// in IRAF, where neighbours behind are only marked and stay in the fit.
///   returns how many are kept
std::size_t reject(const std::vector<float>& values, const Line& line, std::vector<bool>& rejected) {
  const auto residual = [&](std::size_t i) { return values[i] - (line.start + line.slope * static_cast<double>(i)); };
  double n = 0, sum = 0, squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (rejected[i]) continue;
    n += 1;
    sum += residual(i);
    squares += residual(i) * residual(i);
  }
  if (n < 2) return 0;
  const double bound = 2.5 * std::sqrt(std::max(0.0, (squares - sum * sum / n) / (n - 1)));
  const std::size_t grow = std::max<std::size_t>(1, (values.size() + 50) / 100);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (rejected[i] || !(std::abs(residual(i)) > bound)) continue;
    for (std::size_t k = i > grow ? i - grow : 0; k <= i; ++k) rejected[k] = true;
  }
  return static_cast<std::size_t>(std::count(rejected.begin(), rejected.end(), false));
}

DisplayLimits robust_limits(ConstImageView image, const LimitsRule& rule, ThreadPool& pool, const Progress& progress) {
  const bool picture = rule.kind == LimitsRule::Kind::picture;
  const auto middle = quantiles(image, {0.5, 0.999}, pool, progress);
  const double sigma =
      kSigmaPerDeviation * quantiles(image, {0.5}, pool, progress, static_cast<float>(middle[0])).front();
  const double high = middle[0] + rule.sigmas_above * sigma;
  return usable(middle[0] - rule.sigmas_below * sigma, picture ? std::max(high, middle[1]) : high);
}

}  // namespace

double unstretched(const StretchCurve& curve, double level) {
  if (std::isnan(level)) return level;
  const double s = std::clamp(level, 0.0, 1.0), a = curve.softness;
  switch (curve.kind) {
    case Stretch::linear:
    case Stretch::histogram:
      return s;
    case Stretch::log:
      return std::expm1(s * std::log1p(a)) / a;
    case Stretch::sqrt:
      return s * s;
    case Stretch::square:
      return std::sqrt(s);
    case Stretch::asinh:
      return std::sinh(s * std::asinh(a)) / a;
    case Stretch::power:
      return std::pow(s, 1 / curve.power);
  }
  return s;
}

std::string name_of(const LimitsRule& rule) {
  switch (rule.kind) {
    case LimitsRule::Kind::min_max:
      return "min-max";
    case LimitsRule::Kind::percentile:
      return fmt::format("{:g} %", rule.percent);
    case LimitsRule::Kind::zscale:
      return "zscale";
    case LimitsRule::Kind::robust:
      return fmt::format("-{:g} ... +{:g} sigma", rule.sigmas_below, rule.sigmas_above);
    case LimitsRule::Kind::picture:
      return "noise ... 99.9 %";
    case LimitsRule::Kind::user:
      return "user";
  }
  return {};
}

DisplayLimits usable(double low, double high) {
  if (!std::isfinite(low) || !std::isfinite(high)) return {0, 1};
  if (low > high) std::swap(low, high);
  if (high == low) high = low + std::max(1e-30, std::abs(low) * 1e-6);
  return {low, high};
}

std::vector<float> zscale_sample(ConstImageView image, int size, int per_line) {
  const std::int64_t nx = image.shape.nx, ny = image.shape.ny;
  std::vector<float> sample;
  if (nx < 1 || ny < 1) return sample;
  const std::int64_t wanted = std::max<std::int64_t>(1, std::min<std::int64_t>(nx, per_line));
  const std::int64_t x_step = (nx + wanted - 1) / wanted, a_line = (nx + x_step - 1) / x_step;
  const std::int64_t lines =
      std::max<std::int64_t>(std::max(1, size / per_line), std::min(ny, (size + a_line - 1) / a_line));
  const std::int64_t y_step = std::max<std::int64_t>(1, ny / lines);
  for (std::int64_t y = (y_step - 1) / 2; y < ny; y += y_step) {
    for (std::int64_t x = (x_step - 1) / 2; x < nx; x += x_step) {
      if (std::isfinite(image.row(y)[x])) sample.push_back(image.row(y)[x]);
    }
  }
  return sample;
}

DisplayLimits zscale(std::vector<float> sample, double contrast) {
  std::sort(sample.begin(), sample.end());
  const std::size_t n = sample.size();
  if (n == 0) return {0, 1};
  const double least = sample.front(), most = sample.back();
  const std::size_t needed = std::max<std::size_t>(5, n / 2);
  std::vector<bool> rejected(n, false);
  Line line;
  std::size_t kept = n, before = n + 1;
  for (int round = 0; round < 5 && kept < before && kept >= needed; ++round) {
    line = fit_line(sample, rejected);
    before = kept;
    kept = reject(sample, line, rejected);
  }
  if (kept < needed) return usable(least, most);
  const double slope = contrast > 0 ? line.slope / contrast : line.slope;
  const std::size_t middle = (n - 1) / 2;
  const double median = n % 2 == 1 ? sample[middle] : 0.5 * (double{sample[middle]} + sample[middle + 1]);
  return usable(std::max(least, median - static_cast<double>(middle) * slope),
                std::min(most, median + static_cast<double>(n - 1 - middle) * slope));
}

DisplayLimits find_limits(ConstImageView image, const LimitsRule& rule, ThreadPool& pool, const Progress& progress) {
  switch (rule.kind) {
    case LimitsRule::Kind::user:
      return usable(rule.user.low, rule.user.high);
    case LimitsRule::Kind::min_max: {
      const PixelSummary s = summarise(image, pool, progress);
      return usable(s.min, s.max);
    }
    case LimitsRule::Kind::percentile: {
      const double rest = 0.5 * (1 - std::clamp(rule.percent, 0.0, 100.0) / 100);
      const auto ends = quantiles(image, {rest, 1 - rest}, pool, progress);
      return usable(ends[0], ends[1]);
    }
    case LimitsRule::Kind::zscale:
      return zscale(zscale_sample(image), rule.contrast);
    case LimitsRule::Kind::robust:
    case LimitsRule::Kind::picture:
      return robust_limits(image, rule, pool, progress);
  }
  return {};
}

}  // namespace reber
