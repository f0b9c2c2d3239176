// SPDX-License-Identifier: BSD-3-Clause
// Least squares in the uv plane, phase by phase.
#include "core/sky/model/resample_table.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include "core/base/error.hpp"

namespace reber {
namespace {

constexpr int kTaps = ResampleTable::kTaps, kPhases = ResampleTable::kPhases;
/// Frequencies from 0 to 1/2 cycles a pixel.
constexpr int kFrequencies = 65;
/// Below this a frequency holds nothing of the image; it still counts, so that weights stay bounded there.
constexpr double kFloor = 1e-4;
constexpr double kNarrowest = 2, kWidest = 5, kUnknown = 3;
/// Shapes whose amplitude is kept, in widths of the beam.
constexpr double kKept[] = {1, 1.4};

using Weights = std::array<double, kTaps>;

/// Transfer of a Gaussian.
double transfer(double fwhm, double f) {
  return std::exp(-std::numbers::pi * std::numbers::pi / (4 * std::numbers::ln2) * fwhm * fwhm * f * f);
}

/// Solves the n x n system in place, with pivots.
void solve(std::vector<double>& matrix, std::vector<double>& right, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::abs(matrix[i * n + k]) > std::abs(matrix[best * n + k])) best = i;
    if (!(std::abs(matrix[best * n + k]) > 0)) throw InternalError("weights of interpolation: singular");
    for (std::size_t j = 0; j < n; ++j) std::swap(matrix[k * n + j], matrix[best * n + j]);
    std::swap(right[k], right[best]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = matrix[i * n + k] / matrix[k * n + k];
      for (std::size_t j = k; j < n; ++j) matrix[i * n + j] -= factor * matrix[k * n + j];
      right[i] -= factor * right[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) right[k] -= matrix[k * n + j] * right[j];
    right[k] /= matrix[k * n + k];
  }
}

/// sum_f weight(f) cos(2 pi f distance), over frequencies of both signs.
class CosineSum {
 public:
  template <class Weight>
  explicit CosineSum(Weight weight) {
    for (int k = 0; k < kFrequencies; ++k) {
      const double f = 0.5 * k / (kFrequencies - 1);
      weights_.push_back(weight(f) * (k == 0 || k == kFrequencies - 1 ? 0.5 : 1));
    }
  }
  [[nodiscard]] double operator()(double distance) const {
    double sum = 0;
    for (int k = 0; k < kFrequencies; ++k)
      sum += weights_[static_cast<std::size_t>(k)] * std::cos(std::numbers::pi * k / (kFrequencies - 1) * distance);
    return sum;
  }

 private:
  std::vector<double> weights_;
};

/// Weights of `width` pixels along an axis on which the beam has this FWHM.
class Fit {
 public:
  Fit(double fwhm, int width)
      : width_(width), first_((kTaps - width) / 2), power_([&](double f) {
          const double weight = std::max(transfer(fwhm, f), kFloor);
          return weight * weight;
        }) {
    for (std::size_t lag = 0; lag < kTaps; ++lag) lags_[lag] = power_(static_cast<double>(lag));
    // Four weights have no more freedom than for the beam itself.
    for (const double shape : std::span(kKept).first(width < 6 ? 1 : 2))
      kept_.emplace_back([&](double f) { return transfer(shape * fwhm, f) * transfer(shape * fwhm, f); });
  }

  [[nodiscard]] Weights at(double phase) const {
    const auto taps = static_cast<std::size_t>(width_), n = taps + 2 + kept_.size();
    std::vector<double> matrix(n * n, 0), right(n, 0);
    for (std::size_t k = 0; k < taps; ++k) {
      const double distance = first_ + static_cast<double>(k) - 3 - phase;
      for (std::size_t j = 0; j < taps; ++j) matrix[k * n + j] = lags_[k > j ? k - j : j - k];
      right[k] = power_(distance);
      const auto condition = [&](std::size_t c, double value) {
        matrix[k * n + taps + c] = matrix[(taps + c) * n + k] = value;
      };
      condition(0, 1);
      condition(1, distance);
      for (std::size_t c = 0; c < kept_.size(); ++c) condition(2 + c, kept_[c](distance) / kept_[c](0));
    }
    std::fill(right.begin() + width_, right.end(), 1);
    right[taps + 1] = 0;
    solve(matrix, right, n);
    Weights weights{};
    std::copy_n(right.begin(), width_, weights.begin() + first_);
    return weights;
  }

 private:
  int width_, first_;
  CosineSum power_;
  Weights lags_{};  ///< of power_, between two pixels
  std::vector<CosineSum> kept_;
};

Weights mirrored(Weights weights) {
  std::ranges::reverse(weights);
  return weights;
}

/// Phases 0 to 1, both included.
std::vector<Weights> weights_of(double fwhm, int width) {
  std::vector<Weights> all(kPhases + 1, Weights{});
  all.front()[3] = 1;
  for (int k = 1; k <= kPhases / 2; ++k) {
    const double phase = static_cast<double>(k) / kPhases;
    all[static_cast<std::size_t>(k)] = width == 2 ? Weights{0, 0, 0, 1 - phase, phase} : Fit(fwhm, width).at(phase);
  }
  for (int k = kPhases / 2 + 1; k <= kPhases; ++k)
    all[static_cast<std::size_t>(k)] = mirrored(all[static_cast<std::size_t>(kPhases - k)]);
  return all;
}

std::vector<float> axis_table(Interpolation how, double fwhm) {
  std::vector<float> table(ResampleTable::kFloats, 0);
  float* entry = table.data();
  for (const int width : {8, 6, 4, 2}) {
    const bool used = how == Interpolation::fitted || width == 2;
    const std::vector<Weights> all = used ? weights_of(fwhm, width) : std::vector<Weights>(kPhases + 1, Weights{});
    for (std::size_t p = 0; p < kPhases; ++p, entry += ResampleTable::kEntry)
      for (std::size_t k = 0; k < kTaps; ++k) {
        entry[k] = static_cast<float>(all[p][k]);
        entry[kTaps + k] = static_cast<float>(all[p + 1][k] - all[p][k]);
      }
  }
  return table;
}

/// Mean over phases of the variance that noise of unit variance has after the weights of one axis.
double mean_variance(const float* entries, const std::optional<double>& fwhm) {
  // Noise like a beam is correlated like a Gaussian root 2 times as wide.
  const auto correlation = [&](std::size_t lag) {
    if (!fwhm) return lag == 0 ? 1.0 : 0.0;
    return std::exp(-2 * std::numbers::ln2 * static_cast<double>(lag * lag) / (*fwhm * *fwhm));
  };
  double sum = 0;
  for (int p = 0; p < kPhases; ++p, entries += ResampleTable::kEntry)
    for (std::size_t j = 0; j < kTaps; ++j)
      for (std::size_t k = 0; k < kTaps; ++k)
        sum += static_cast<double>(entries[j]) * static_cast<double>(entries[k]) * correlation(j > k ? j - k : k - j);
  return sum / kPhases;
}

/// FWHM along x and y of what the beam lets through at any frequency of the other axis. The power of a thin beam across
/// the axes reaches further than its width along one says.
std::array<double, 2> along_axes(const Covariance& c) {
  return {std::sqrt(c.xx - c.xy * c.xy / c.yy), std::sqrt(c.yy - c.xy * c.xy / c.xx)};
}

}  // namespace

ResampleTable resample_table(Interpolation how, const std::optional<Covariance>& beam_px) {
  std::array<double, 2> fwhm{kUnknown, kUnknown};
  if (beam_px) fwhm = along_axes(*beam_px);
  for (double& one : fwhm) one = one >= kNarrowest ? std::min(one, kWidest) : kNarrowest;
  ResampleTable table;
  table.how = how;
  table.x = axis_table(how, fwhm[0]);
  table.y = fwhm[1] == fwhm[0] ? table.x : axis_table(how, fwhm[1]);
  return table;
}

double noise_gain(const ResampleTable& table, const std::optional<Covariance>& noise_px) {
  if (table.how == Interpolation::nearest) return 1;
  std::optional<double> x, y;
  if (noise_px) x = along_axes(*noise_px)[0], y = along_axes(*noise_px)[1];
  const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(table.widest()) * kPhases * ResampleTable::kEntry;
  return std::sqrt(mean_variance(table.x.data() + first, x) * mean_variance(table.y.data() + first, y));
}

}  // namespace reber
