// SPDX-License-Identifier: BSD-3-Clause
// Weighted sums of channels.
#include "core/run/cube/spectral_steps.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/run/cube/step_words.hpp"

namespace reber {
namespace {

constexpr std::int64_t kW = Strip::kPixels;
constexpr float kBlank = std::numeric_limits<float>::quiet_NaN();
/// Standard deviations at which a Gaussian ends.
constexpr double kReach = 4;

/// Adds weight x row for taps rows, four at a time, so that the sums stay in registers longer.
void add_rows(const float* rows, const float* weights, std::int64_t taps, float* sums) {
  std::int64_t j = 0;
  for (; j + 4 <= taps; j += 4) {
    const float *a = rows + j * kW, *b = a + kW, *c = b + kW, *d = c + kW;
    const float wa = weights[j], wb = weights[j + 1], wc = weights[j + 2], wd = weights[j + 3];
    for (std::int64_t x = 0; x < kW; ++x) sums[x] += wa * a[x] + wb * b[x] + wc * c[x] + wd * d[x];
  }
  for (; j < taps; ++j)
    for (std::int64_t x = 0; x < kW; ++x) sums[x] += weights[j] * rows[j * kW + x];
}

/// The same where values may be blank: these add neither to the sums nor to the totals of weights.
void add_finite(const float* rows, const float* weights, std::int64_t taps, float* sums, float* totals) {
  for (std::int64_t j = 0; j < taps; ++j) {
    const float* const row = rows + j * kW;
    const float w = weights[j];
    for (std::int64_t x = 0; x < kW; ++x) {
      const bool finite = row[x] == row[x];
      sums[x] += finite ? w * row[x] : 0.0F;
      totals[x] += finite ? w : 0.0F;
    }
  }
}

/// Smoothing by an odd number of weights.
class SmoothSpectra final : public SpectrumStep {
 public:
  /// fwhm: of a Gaussian, in channels, or in `unit`; 0 where weights are given
  SmoothSpectra(std::string name, std::vector<double> weights, double fwhm, std::string unit)
      : name_(std::move(name)), weights_(std::move(weights)), fwhm_(fwhm), unit_(std::move(unit)) {}

  void plan(SpectralGrid& grid) override {
    if (weights_.empty()) sample_gaussian(grid);
    const auto planes = static_cast<std::int64_t>(grid.at.size());
    if (static_cast<std::int64_t>(weights_.size()) > 2 * planes + 1)
      throw InputError(fmt::format("step spectral:{}: its {} weights are more than twice the {} channels of the cube",
                                   name_, weights_.size(), planes));
    reach_ = static_cast<std::int64_t>(weights_.size() / 2);
    kernel_.assign(weights_.begin(), weights_.end());
  }

  void apply(Strip& strip, Strip& spare) const override {
    spare.resize(strip.planes);
    const bool finite = strip.all_finite();
    for (std::int64_t k = 0; k < strip.planes; ++k) smooth_plane(strip, k, finite, spare.plane(k));
    std::swap(strip.values, spare.values);
  }

  [[nodiscard]] std::string told() const override {
    return fmt::format("spectral: {}, {} weights, blank channels left out and kept blank", name_, weights_.size());
  }

 private:
  void sample_gaussian(const SpectralGrid& grid) {
    double channels = fwhm_;
    if (unit_ != "ch") {
      const double width = (grid.at.back() - grid.at.front()) / static_cast<double>(grid.at.size() - 1);
      if (unit_ != grid.unit)
        throw InputError(fmt::format("step spectral:{}: the spectral axis counts in {}: give the FWHM in ch or {}",
                                     name_, grid.unit, grid.unit));
      channels = fwhm_ / std::abs(width);
    }
    const double sigma = channels / (2 * std::sqrt(2 * std::numbers::ln2));
    const auto reach = static_cast<std::int64_t>(std::ceil(std::ceil(2 * kReach * sigma) / 2 - 0.5));
    double total = 0;
    for (std::int64_t j = -reach; j <= reach; ++j)
      weights_.push_back(std::exp(-0.5 * static_cast<double>(j * j) / (sigma * sigma)));
    for (const double w : weights_) total += w;
    for (double& w : weights_) w /= total;
  }

  void smooth_plane(const Strip& strip, std::int64_t k, bool finite, float* out) const {
    const std::int64_t from = std::max<std::int64_t>(k - reach_, 0), to = std::min(k + reach_, strip.planes - 1);
    const float* const weights = kernel_.data() + (from - k + reach_);
    std::fill_n(out, kW, 0.0F);
    if (finite && to - from == 2 * reach_) return add_rows(strip.plane(from), weights, to - from + 1, out);
    std::array<float, kW> totals{};
    add_finite(strip.plane(from), weights, to - from + 1, out, totals.data());
    const float* const own = strip.plane(k);
    for (std::int64_t x = 0; x < kW; ++x)
      out[x] = own[x] == own[x] ? out[x] / totals[static_cast<std::size_t>(x)] : kBlank;
  }

  std::string name_;
  std::vector<double> weights_;
  double fwhm_;
  std::string unit_;
  std::int64_t reach_ = 0;
  std::vector<float> kernel_;
};

/// Means of groups of channels.
class RebinSpectra final : public SpectrumStep {
 public:
  explicit RebinSpectra(std::int64_t group) : group_(group) {}

  void plan(SpectralGrid& grid) override {
    const std::size_t channels = grid.at.size(), n = static_cast<std::size_t>(group_);
    if (channels < n)
      throw InputError(fmt::format("step spectral:rebin:{}: the cube has {} channels", group_, channels));
    dropped_ = channels % n;
    std::vector<double> at, width;
    for (std::size_t i = 0; i + n <= channels; i += n) {
      double sum = 0, wide = 0;
      for (std::size_t j = i; j < i + n; ++j) sum += grid.at[j], wide += grid.width[j];
      at.push_back(sum / static_cast<double>(n));
      width.push_back(wide);
    }
    grid.at = at;
    grid.width = width;
    grid.offset += grid.step * 0.5 * static_cast<double>(group_ - 1);
    grid.step *= static_cast<double>(group_);
  }

  void apply(Strip& strip, Strip& spare) const override {
    spare.resize(strip.planes / group_);
    const std::vector<float> ones(static_cast<std::size_t>(group_), 1.0F);
    for (std::int64_t k = 0; k < spare.planes; ++k) {
      float* const out = spare.plane(k);
      std::array<float, kW> totals{};
      std::fill_n(out, kW, 0.0F);
      add_finite(strip.plane(k * group_), ones.data(), group_, out, totals.data());
      for (std::int64_t x = 0; x < kW; ++x) {
        const float total = totals[static_cast<std::size_t>(x)];
        out[x] = total > 0 ? out[x] / total : kBlank;
      }
    }
    std::swap(strip.values, spare.values);
    strip.planes = spare.planes;
  }

  [[nodiscard]] std::string told() const override {
    return fmt::format("spectral: rebinned by {}{}", group_,
                       dropped_ > 0 ? fmt::format(", last {} channels dropped", dropped_) : "");
  }

 private:
  std::int64_t group_;
  std::size_t dropped_ = 0;
};

}  // namespace

std::unique_ptr<SpectrumStep> spectral_step(const std::string& text) {
  const auto [word, value] = split_step(text);
  const auto refuse = [&](const std::string& why) {
    return InputError(
        fmt::format("step 'spectral:{}': {}; expected gauss:5ch, gauss:12km/s, boxcar:3, rebin:4 or "
                    "hanning",
                    printable(text), why));
  };
  if (word == "hanning" && value.empty())
    return std::make_unique<SmoothSpectra>(text, std::vector<double>{0.25, 0.5, 0.25}, 0, "");
  if (word == "gauss") {
    const auto [number, unit] = split_unit(value);
    if (!number || !(*number > 0) || !(*number < 1e9)) throw refuse("the FWHM is no number above 0");
    if (unit != "ch" && unit != "km/s" && unit != "Hz" && !unit.empty()) throw refuse("a unit is ch, km/s or Hz");
    return std::make_unique<SmoothSpectra>(text, std::vector<double>{}, *number, unit.empty() ? "ch" : unit);
  }
  if (word != "boxcar" && word != "rebin") throw refuse("no such step");
  const auto [number, unit] = split_unit(value);
  if (!number || !(*number >= 1) || !(*number <= 1e5) || *number != std::floor(*number) ||
      !(unit.empty() || unit == "ch"))
    throw refuse("the number of channels is no whole number from 1 to 100000");
  const auto channels = static_cast<std::int64_t>(*number);
  if (word == "rebin") return std::make_unique<RebinSpectra>(channels);
  if (channels % 2 == 0) throw refuse("a boxcar of an even number of channels moves lines by half a channel");
  const std::vector<double> flat(static_cast<std::size_t>(channels), 1 / static_cast<double>(channels));
  return std::make_unique<SmoothSpectra>(text, flat, 0, "");
}

}  // namespace reber
