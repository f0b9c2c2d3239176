// SPDX-License-Identifier: BSD-3-Clause
// Counts are folded with what the injected sources tell, and put right by the ratio.
#include "core/studies/quality/counts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace reber {
namespace {

constexpr double kPerDecade = 5;
constexpr double kUsualIndex = -0.8, kCountsHz = 1.4e9;

double edge_of(std::int64_t bin) { return std::pow(10.0, static_cast<double>(bin) / kPerDecade); }
std::int64_t bin_of(double flux) { return static_cast<std::int64_t>(std::floor(kPerDecade * std::log10(flux))); }

double flux_of(const Source& one) { return one.resolved == 1 ? one.total : one.peak; }

/// What the injected sources tell at any S/N: between the bins' middles, on a logarithmic axis.
class Recovery {
 public:
  explicit Recovery(const CompletenessResult& made) {
    constexpr std::int64_t kFewest = 5;
    for (const CompletenessBin& bin : made.bins) {
      const double at = 0.5 * std::log(bin.low * bin.high);
      if (bin.all.trials > 0) complete_.push_back({at, bin.all.value()});
      if (bin.peak_ratio.count < kFewest) continue;
      ratio_.push_back({at, bin.peak_ratio.median});
      scatter_.push_back({at, std::max(1e-3, bin.peak_ratio.scatter)});
    }
    trials_ = made.bins.empty() ? 1 : std::max<std::int64_t>(1, made.bins.front().all.trials);
  }
  [[nodiscard]] bool usable() const { return !complete_.empty() && !ratio_.empty(); }
  /// Part of sources of this S/N that are found with a peak between low and high times their own.
  [[nodiscard]] double part(double snr, double low, double high) const {
    const double at = std::log(snr), ratio = value(ratio_, at), scatter = value(scatter_, at);
    const auto below = [&](double x) { return 0.5 * std::erfc((ratio - x) / scatter / std::numbers::sqrt2); };
    return complete(snr) * (below(high) - below(low));
  }
  [[nodiscard]] double complete(double snr) const { return value(complete_, std::log(snr)); }
  /// Relative error of complete(), from the number of trials.
  [[nodiscard]] double error(double snr) const {
    const double c = std::clamp(complete(snr), 1e-3, 1.0);
    return std::sqrt((1 - c) / (c * static_cast<double>(trials_)));
  }

 private:
  struct Knot {
    double at, value;
  };
  static double value(const std::vector<Knot>& knots, double at) {
    const auto next = std::ranges::lower_bound(knots, at, {}, &Knot::at);
    if (next == knots.begin()) return knots.front().value;
    if (next == knots.end()) return knots.back().value;
    const Knot &a = *(next - 1), &b = *next;
    return a.value + (b.value - a.value) * (at - a.at) / (b.at - a.at);
  }
  std::vector<Knot> complete_, ratio_, scatter_;
  std::int64_t trials_ = 1;
};

double slope_of(const std::vector<double>& fluxes, double least) {
  constexpr std::int64_t kFewest = 10;
  std::int64_t n = 0;
  double sum = 0;
  for (const double flux : fluxes)
    if (flux > least) ++n, sum += std::log(flux / least);
  return n >= kFewest && sum > 0 ? std::clamp(1 + static_cast<double>(n) / sum, 1.2, 3.5) : 2;
}

/// Area-averaged part of sources of true flux `flux` that are found in a bin.
double found_part(const Recovery& recovery, const std::vector<double>& noise, double flux, double low, double high) {
  double sum = 0;
  for (const double rms : noise) sum += recovery.part(flux / rms, low / flux, high / flux);
  return sum / static_cast<double>(noise.size());
}

double factor_of(const Recovery& recovery, const std::vector<double>& noise, double slope, double low, double high) {
  constexpr int kSteps = 200;
  constexpr double kReach = 4;  // factors of flux around the bin, from which noise may bring sources into it
  const double from = std::log(low / kReach), to = std::log(high * kReach), step = (to - from) / kSteps;
  double found = 0;
  for (int k = 0; k < kSteps; ++k) {
    const double flux = std::exp(from + (k + 0.5) * step), weight = std::pow(flux / low, 1 - slope);
    found += weight * found_part(recovery, noise, flux, low, high);
  }
  // The same integral over the bin alone.
  const double there =
      slope == 1 ? std::log(high / low) / step : (std::pow(high / low, 1 - slope) - 1) / (1 - slope) / step;
  return found > 0 ? there / found : INFINITY;
}

double chi2_of(const SourceCounts& counts, double frequency_hz) {
  constexpr std::int64_t kFewest = 5;
  if (!std::isfinite(frequency_hz)) return std::nan("");
  const double scale = std::pow(kCountsHz / frequency_hz, kUsualIndex);
  double sum = 0;
  std::int64_t n = 0;
  for (const CountBin& bin : counts.bins) {
    const double expected = hopkins_counts(std::sqrt(bin.low * bin.high) * scale) / std::pow(scale, 1.5);
    if (bin.found < kFewest || !(expected > 0)) continue;
    const double pull = (bin.euclidean - expected) / bin.e_euclidean;
    sum += pull * pull, ++n;
  }
  return n > 0 ? sum / static_cast<double>(n) : std::nan("");
}

}  // namespace

double hopkins_counts(double flux_jy) {
  static constexpr std::array kTerms{0.859, 0.508, 0.376, -0.049, -0.121, 0.057, -0.008};
  constexpr double kLowMjy = 0.05, kHighMjy = 1000;
  const double mjy = flux_jy * 1e3, x = std::log10(mjy);
  if (!(mjy >= kLowMjy && mjy <= kHighMjy)) return std::nan("");
  double sum = 0;
  for (std::size_t k = kTerms.size(); k-- > 0;) sum = sum * x + kTerms[k];
  return std::pow(10.0, sum);
}

SourceCounts count_sources(const Result& result, const FieldNumbers& field, const CompletenessResult* completeness) {
  constexpr double kMostFactor = 20;
  SourceCounts out;
  const auto geometry = result.header().centre_geometry();
  if (!geometry || !result.beam()) out.none = geometry ? "the image has no beam" : "the image has no sky coordinates";
  std::vector<double> fluxes, negative;
  for (const Source& one : result.sources())
    if (const double flux = std::abs(flux_of(one)); flux > 0) (one.negative ? negative : fluxes).push_back(flux);
  if (out.none.empty() && fluxes.empty()) out.none = "no source was found";
  if (!out.none.empty()) return out;
  constexpr double kRadian = std::numbers::pi / 180;
  out.area_sr = static_cast<double>(field.known) * std::abs(geometry->determinant()) * kRadian * kRadian;
  out.slope = slope_of(fluxes, 10 * field.rms_high);
  std::optional<Recovery> recovery;
  if (completeness != nullptr) recovery.emplace(*completeness);
  const std::int64_t first = bin_of(std::ranges::min(fluxes)), last = bin_of(std::ranges::max(fluxes));
  for (std::int64_t k = first; k <= last; ++k) {
    CountBin bin;
    bin.low = edge_of(k), bin.high = edge_of(k + 1);
    const auto in = [&](const std::vector<double>& of) { return std::ranges::count(of, k, bin_of); };
    bin.found = in(fluxes), bin.negative = in(negative);
    const double middle = std::sqrt(bin.low * bin.high);
    double error = 0;
    if (recovery && recovery->usable()) {
      bin.factor = factor_of(*recovery, field.noise, out.slope, bin.low, bin.high);
      error = recovery->error(middle / field.rms_median);
    }
    if (!(bin.factor < kMostFactor)) continue;  // next to nothing of such sources is found
    const auto net = static_cast<double>(bin.found - bin.negative);
    bin.number = net * bin.factor;
    bin.e_number =
        std::hypot(bin.factor * std::sqrt(static_cast<double>(bin.found + bin.negative)), error * bin.number);
    const double scale = std::pow(middle, 2.5) / (bin.high - bin.low) / out.area_sr;
    bin.raw = static_cast<double>(bin.found) * scale;
    bin.euclidean = bin.number * scale, bin.e_euclidean = bin.e_number * scale;
    out.bins.push_back(bin);
  }
  out.chi2 = chi2_of(out, result.header().wcs.frequency_hz());
  return out;
}

}  // namespace reber
