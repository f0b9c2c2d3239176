// SPDX-License-Identifier: BSD-3-Clause
// Starting values, bounds and fallbacks of the fits of a run's sources, and the work they may cost.
#include "core/run/fit_sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace reber {
namespace {

constexpr double kFwhm2PerVariance = 8 * std::numbers::ln2;
/// Multiply-adds that an island's fit with correlated weights may cost, and one with ordinary weights: below a second.
constexpr double kMostCorrelatedWork = 5e8, kMostPlainWork = 2e9;
/// Evaluations that a fit takes, rounded up.
constexpr double kTypicalRounds = 20;

/// A range of entries of the sums: the sources of one island.
struct IslandSources {
  std::size_t first, count;
  std::size_t pixels;  ///< entry of IslandPixels
};

std::vector<IslandSources> group(const std::vector<SourceSums>& sums, const IslandPixels& pixels) {
  std::vector<IslandSources> islands;
  std::size_t at = 0;
  for (std::size_t k = 0; k < sums.size();) {
    std::size_t end = k + 1;
    while (end < sums.size() && sums[end].island == sums[k].island) ++end;
    while (at < pixels.label.size() && pixels.label[at] < sums[k].island) ++at;
    if (at < pixels.label.size() && pixels.label[at] == sums[k].island) islands.push_back({k, end - k, at});
    k = end;
  }
  return islands;
}

FitPixels pixels_of(const IslandPixels& all, std::size_t which, bool negative) {
  FitPixels pixels;
  for (auto p = static_cast<std::size_t>(all.first[which]); p < static_cast<std::size_t>(all.first[which + 1]); ++p) {
    const double above = static_cast<double>(all.pixel[p]) - static_cast<double>(all.mean[p]);
    pixels.y.push_back(all.y[p]);
    pixels.x.push_back(all.x[p]);
    pixels.value.push_back(negative ? -above : above);
    pixels.rms.push_back(all.rms[p]);
  }
  return pixels;
}

/// Start and bounds of an island's components.
struct Plan {
  std::vector<GaussianComponent> start;
  std::vector<FitBounds> bounds;
};

/// The part's second moments; those of the pixels above a threshold are about 1 / 1.5 of the Gaussian's own.
Covariance shape_from_moments(const IslandSums& sums) {
  const double dx = sums.sx / sums.s, dy = sums.sy / sums.s, scale = 1.5 * kFwhm2PerVariance;
  return {scale * (sums.sxx / sums.s - dx * dx + 1.0 / 12), scale * (sums.sxy / sums.s - dx * dy),
          scale * (sums.syy / sums.s - dy * dy + 1.0 / 12)};
}

Plan plan_island(const std::vector<SourceSums>& sums, const IslandSources& island, const FitPixels& pixels,
                 const std::optional<Covariance>& beam) {
  const auto [left, right] = std::ranges::minmax(pixels.x);
  const double extent = std::max(right - left, pixels.y.back() - pixels.y.front()) + 1;
  const Ellipse beam_axes = beam ? ellipse_of(*beam) : Ellipse{1, 1, 0};
  Plan plan;
  for (std::size_t k = 0; k < island.count; ++k) {
    const SourceSums& source = sums[island.first + k];
    const IslandSums& part = source.sums;
    GaussianComponent start;
    start.peak = std::abs(static_cast<double>(part.peak) - part.peak_mean);
    // A part's centroid leans away from its neighbours; its brightest pixel does so less.
    start.x = source.shared ? part.peak_x : part.first_x + part.sx / part.s;
    start.y = source.shared ? part.peak_y : part.first_y + part.sy / part.s;
    start.fwhm2 = shape_from_moments(part);
    const double size = ellipse_of(start.fwhm2).major;
    FitBounds bounds;
    bounds.reach = 0.5 * std::max({beam_axes.major, size, 2.0});
    bounds.least_fwhm = 0.8 * beam_axes.minor;
    bounds.most_fwhm = std::numbers::sqrt2 * std::max(extent, beam_axes.major);
    plan.start.push_back(start);
    plan.bounds.push_back(bounds);
  }
  return plan;
}

/// What a fit leaves.
struct Rest {
  double sigma2 = 0;    ///< mean square over rms^2
  double part = 0;      ///< of the sum of squares that there was
  double crowding = 0;  ///< pixels above the threshold that the Gaussians would cover, over those of the island
  double rise = 0;      ///< lowest peak over the threshold
};

Rest rest_of(const std::vector<FittedGaussian>& fitted, const FitPixels& pixels, double flood) {
  Rest rest;
  double left = 0, power = 0, rms = 0, covered = 0;
  std::array<double, 6> unused{};
  const auto n = static_cast<double>(pixels.value.size());
  for (std::size_t i = 0; i < pixels.value.size(); ++i) {
    double difference = pixels.value[i];
    for (const FittedGaussian& one : fitted) difference -= one.component.evaluate(pixels.x[i], pixels.y[i], unused);
    left += difference * difference;
    power += pixels.value[i] * pixels.value[i];
    rest.sigma2 += difference * difference / (pixels.rms[i] * pixels.rms[i]) / n;
    rms += pixels.rms[i] / n;
  }
  rest.part = left / power;
  rest.rise = std::numeric_limits<double>::infinity();
  for (const FittedGaussian& one : fitted) {
    const Covariance& c = one.component.fwhm2;
    rest.rise = std::min(rest.rise, one.component.peak / (flood * rms));
    const double octaves = std::log2(std::max(1.0, one.component.peak / (flood * rms)));
    covered += std::numbers::pi / 4 * std::sqrt(c.xx * c.yy - c.xy * c.xy) * octaves;
  }
  rest.crowding = covered / n;
  return rest;
}

/// Noise, or little of what there was, is left, and the Gaussians fill the island: rings and filaments are none, nor
/// are wide plateaus just above the threshold, whose fluxes would be of the model's making.
bool describes(const Rest& rest) {
  constexpr double kMostSigma2 = 4, kMostPart = 0.1, kMostCrowding = 2, kLeastRise = 4.0 / 3;
  return (rest.sigma2 <= kMostSigma2 || rest.part <= kMostPart) && rest.crowding <= kMostCrowding &&
         rest.rise >= kLeastRise;
}

/// One island on its way through the attempts.
struct IslandFit {
  enum class Attempt { correlated, plain, beam_shape, none };
  IslandSources island;
  FitPixels pixels;
  Plan plan;
  Attempt attempt = Attempt::none;
  bool correlated = false;  ///< can afford correlated weights
  std::int64_t flag = 0;
};

/// Where an island begins: with what it can afford.
void begin(IslandFit& work, bool correlated_noise) {
  const double n = static_cast<double>(work.pixels.value.size());
  const double p = 6 * static_cast<double>(work.plan.start.size());
  work.correlated = correlated_noise && n * n * n / 6 + kTypicalRounds * n * n / 2 * (p + 1) <= kMostCorrelatedWork;
  if (work.correlated) {
    work.attempt = IslandFit::Attempt::correlated;
  } else if (kTypicalRounds * n * p * p <= kMostPlainWork) {
    work.attempt = IslandFit::Attempt::plain;
    work.flag = correlated_noise ? kFlagPlainWeights : 0;
  }
}

/// Makes ready the attempt after one that failed.
void next_attempt(IslandFit& work, const std::optional<Covariance>& beam) {
  using enum IslandFit::Attempt;
  if (work.attempt == correlated) {
    work.attempt = plain;
    work.flag = kFlagPlainWeights;
  } else if (work.attempt == plain && beam) {
    work.attempt = beam_shape;
    work.flag = kFlagBeamShape | (work.correlated ? 0 : work.flag);
    for (std::size_t k = 0; k < work.plan.start.size(); ++k) {
      work.plan.start[k].fwhm2 = *beam;
      work.plan.bounds[k].shape_free = false;
    }
  } else {
    work.attempt = none;
  }
}

/// Whether a fit that settled is what the island needed.
bool good_enough(const IslandFit& work, const std::vector<FittedGaussian>& fitted, double flood) {
  // Correlated weights take a smooth misfit for noise and pay little for it. Where it is more than noise the source is
  // no exact Gaussian, and ordinary weights keep its flux.
  constexpr double kCorrelatedSigma2 = 1.5;
  const Rest rest = rest_of(fitted, work.pixels, flood);
  return describes(rest) && (work.attempt != IslandFit::Attempt::correlated || rest.sigma2 <= kCorrelatedSigma2);
}

}  // namespace

SourceFitter::SourceFitter(const FitRequest& request, const ImageHeader& header, const std::optional<Beam>& beam)
    : request_(request), shape_(header.shape) {
  const auto centre =
      header.wcs.sky_per_pixel(0.5 * static_cast<double>(shape_.nx - 1), 0.5 * static_cast<double>(shape_.ny - 1));
  if (!beam || !centre) return;
  beam_px_ = to_pixels(sky_covariance(beam->major_deg, beam->minor_deg, beam->pa_deg), *centre);
  beam_noise_ = NoiseCorrelation::of_shape(*beam_px_);
}

void SourceFitter::measure_noise(Backend& backend, const Plane& plane, const BackgroundModel& background,
                                 const IslandMap& islands) {
  constexpr double kWidestBeam = 20, kReachInBeams = 2.2;
  constexpr std::int64_t kReachWithoutBeam = 12;
  const double width = beam_px_ ? ellipse_of(*beam_px_).major : 0;
  if (!(width <= kWidestBeam)) return;
  const std::int64_t reach = beam_px_ ? static_cast<std::int64_t>(std::ceil(kReachInBeams * width)) : kReachWithoutBeam;
  const auto grow = static_cast<std::int64_t>(std::ceil(std::max(width, 2.0)));
  const auto limit = static_cast<float>(islands.options().seed);
  ThreadPool pool(request_.threads);
  std::vector<std::int32_t> labels;
  std::vector<float> snr;
  measured_ = measure_noise_correlation(
      shape_,
      [&](std::int64_t y0, std::int64_t ny, float* out) {
        const auto count = static_cast<std::size_t>(ny * shape_.nx);
        labels.resize(count);
        snr.resize(count);
        backend.render_rows(MapKind::snr, plane, &background, y0, ny, snr.data());
        backend.label_rows(islands, y0, ny, labels.data());
        blank_sources(snr, labels, shape_.nx, limit, grow);
        std::ranges::copy(snr, out);
      },
      reach, pool);
}

std::vector<SourceFit> SourceFitter::fit(Backend& backend, const std::vector<SourceSums>& sums,
                                         const IslandPixels& pixels, const DetectOptions& options,
                                         const Progress& progress) const {
  std::vector<SourceFit> fits(sums.size());
  for (SourceFit& one : fits) one.flag = kFlagNotFitted;
  const std::vector<IslandSources> islands = group(sums, pixels);
  ThreadPool pool(request_.threads);
  std::vector<IslandFit> work(islands.size());
  pool.for_each(static_cast<std::int64_t>(islands.size()), [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    work[at].island = islands[at];
    work[at].pixels = pixels_of(pixels, islands[at].pixels, options.negative);
    work[at].plan = plan_island(sums, islands[at], work[at].pixels, beam_px_);
    begin(work[at], beam_px_.has_value());
  });
  for (;;) {
    FitBatch batch;
    batch.weights = beam_noise_;
    batch.errors = measured_.pixels > 0 ? measured_.correlation : beam_noise_;
    std::vector<std::size_t> pending;
    for (std::size_t i = 0; i < work.size(); ++i) {
      const IslandFit& one = work[i];
      if (one.attempt == IslandFit::Attempt::none) continue;
      pending.push_back(i);
      batch.add(one.pixels, one.plan.start, one.plan.bounds,
                one.correlated && one.attempt != IslandFit::Attempt::plain);
    }
    if (pending.empty()) return fits;
    const FitResults results = backend.fit(batch, progress);
    pool.for_each(static_cast<std::int64_t>(pending.size()), [&](std::int64_t i) {
      IslandFit& one = work[pending[static_cast<std::size_t>(i)]];
      const FitProblem& problem = batch.problems[static_cast<std::size_t>(i)];
      const auto first = results.components.begin() + problem.first_component;
      const std::vector<FittedGaussian> fitted(first, first + problem.components);
      if (results.problems[static_cast<std::size_t>(i)].status != FitStatus::settled ||
          !good_enough(one, fitted, options.flood))
        return next_attempt(one, beam_px_);
      for (std::size_t k = 0; k < fitted.size(); ++k)
        fits[one.island.first + k] = {fitted[k], one.flag | (fitted[k].at_bound ? kFlagBound : 0)};
      one.attempt = IslandFit::Attempt::none;
    });
  }
}

std::string SourceFitter::description() const {
  return fmt::format("Gaussians, weights for {}, errors for {}",
                     beam_px_ ? "noise correlated like the beam" : "uncorrelated noise",
                     measured_.pixels > 0 ? fmt::format("the noise's autocorrelation in {} pixels", measured_.pixels)
                     : beam_px_           ? "noise correlated like the beam"
                                          : "uncorrelated noise");
}

}  // namespace reber
