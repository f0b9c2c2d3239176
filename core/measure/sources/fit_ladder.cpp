// SPDX-License-Identifier: BSD-3-Clause
// Rungs of the ladder, and the rules by which a fit is taken for an island's description.
#include "core/measure/sources/fit_ladder.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "core/base/significance.hpp"
#include "core/measure/sources/fit_parts.hpp"
#include "core/measure/sources/shape_errors.hpp"
#include "core/measure/sources/source.hpp"

namespace reber {
namespace {

/// Multiply-adds of all fits of an island.
constexpr double kMostIslandWork = 5e8;
/// Evaluations that a fit takes, rounded up.
constexpr double kTypicalRounds = 20;
/// A component that is added: the residual that asks for it as a part of the brightest component (calibration errors
/// around bright sources are of this order).
constexpr double kLeastContrast = 0.01;
/// Seed thresholds above which no noise peak is to be expected in any image.
constexpr double kSurePeak = 1.3;

double area2(const Covariance& c) { return c.xx * c.yy - c.xy * c.xy; }

bool any_at_bound(const std::vector<FittedGaussian>& fitted) {
  return std::ranges::any_of(fitted, &FittedGaussian::at_bound);
}

}  // namespace

FitLadder::FitLadder(FitPixels pixels, std::vector<Candidate> candidates, const LadderSetting& setting,
                     std::int64_t flag, FitPixels margin)
    : pixels_(std::move(pixels)),
      margin_(std::move(margin)),
      setting_(setting),
      candidates_(std::move(candidates)),
      initial_(candidates_),
      flag_(flag) {
  begin();
}

FitProblem FitLadder::question() const {
  FitProblem problem{0, static_cast<std::int64_t>(seen()), 0, static_cast<std::int64_t>(candidates_.size()),
                     correlated_};
  // worth_it() asks a trial for its gain before anything else; a little more, since it rounds otherwise.
  constexpr double kMore = 1e-9;
  // extrapolation() wants the end of the trial of a cut source as well.
  if (rung_ == Rung::residual || rung_ == Rung::pair ||
      (rung_ == Rung::shapes && std::ranges::none_of(initial_, &Candidate::cut)))
    problem.useful_chi2 = held_chi2_ - least_gain() + kMore * held_chi2_;
  return problem;
}

void FitLadder::ask(FitBatch& batch, const FitProblem& room) const {
  const FitPixels both = in_raster_order(pixels_, margin_);
  std::ranges::copy(both.y, batch.pixels.y.begin() + room.first_pixel);
  std::ranges::copy(both.x, batch.pixels.x.begin() + room.first_pixel);
  std::ranges::copy(both.value, batch.pixels.value.begin() + room.first_pixel);
  std::ranges::copy(both.rms, batch.pixels.rms.begin() + room.first_pixel);
  for (std::size_t k = 0; k < candidates_.size(); ++k) {
    const std::size_t at = static_cast<std::size_t>(room.first_component) + k;
    batch.start[at] = candidates_[k].start;
    batch.bounds[at] = candidates_[k].bounds;
  }
}

void FitLadder::take(const FitOutcome& outcome, const FittedGaussian* fitted) {
  spent_ += work(candidates_.size(), correlated_, std::max(1, outcome.rounds));
  tell(outcome);
  switch (rung_) {
    case Rung::correlated:
    case Rung::plain:
    case Rung::beam_shape:
      return first_answer(outcome, fitted);
    case Rung::residual:
    case Rung::pair:
    case Rung::shapes:
      return trial_answer(outcome, fitted);
    case Rung::significance:
      return significance_answer(outcome, *fitted);
    case Rung::finished:
      return;
  }
}

/// An answer; whether it is taken is known later.
void FitLadder::tell(const FitOutcome& outcome) {
  const FitAttempt::Of of = together_                  ? FitAttempt::Of::parts_together
                            : core()                   ? FitAttempt::Of::core
                            : (flag_ & kFlagPart) != 0 ? FitAttempt::Of::part
                                                       : FitAttempt::Of::island;
  attempts_.push_back(
      {of, rung_, candidates_.size(), static_cast<std::int64_t>(seen()), correlated_, outcome.chi2,
       outcome.status == FitStatus::settled ? FitAttempt::Outcome::refused : FitAttempt::Outcome::unsettled});
}

/// Multiply-adds of a fit: matrices of the weights or of the normal equations, then the errors.
double FitLadder::work(std::size_t components, bool correlated, double rounds) const {
  const double n = static_cast<double>(seen()), p = 6 * static_cast<double>(components);
  if (correlated) return n * n * n / 6 + rounds * n * n / 2 * (p + 1) + n * n * p;
  return rounds * n * p * p + n * n * p;
}

bool FitLadder::affordable(std::size_t components, bool correlated) const {
  const double wanted = work(components, correlated, kTypicalRounds);
  return wanted <= setting_.most_work && spent_ + wanted <= kMostIslandWork;
}

void FitLadder::begin() {
  if (!affordable(candidates_.size(), false)) thin_out();
  if (setting_.beam && affordable(candidates_.size(), !setting_.ordinary)) {
    rung_ = Rung::correlated;
    correlated_ = !setting_.ordinary;
  } else if (affordable(candidates_.size(), false)) {
    rung_ = Rung::plain;
  } else {
    in_parts_ = candidates_.size() > 1;
    finish();
  }
}

/// Noise, or little of what there was, is left, and the Gaussians fill the island: rings and filaments are none, nor
/// are wide plateaus just above the threshold, whose fluxes would be of the model's making. What they hold above the
/// threshold is what the pixels hold: within 0.87 to 1.10 for 98 of 100 simulated sources above S/N 7.
/// strictly: nothing but noise is left
bool FitLadder::describes(const std::vector<FittedGaussian>& fitted, bool strictly) const {
  constexpr double kMostPart = 0.1, kLeastRise = 4.0 / 3, kMostFlux = 1.25;
  constexpr double kLeastOfCut = 0.5;  // a part of a source has few pixels, and they say little
  if (!std::ranges::all_of(fitted, has_place)) return false;
  const bool cut = std::ranges::any_of(initial_, &Candidate::cut);
  const FitRest rest = rest_of(fitted);
  const bool little = strictly && !cut ? noise_alone(rest, pixels_, setting_.beam)
                                       : rest.sigma2 <= kDoubted * kDoubted || rest.part <= kMostPart;
  // A source by itself may be a Gaussian that ends in the noise; of several, or of a part, wings add up.
  const double most_beyond = fitted.size() > 1 || flag_ != 0 ? kLeastShare : 1;  // of the pixels' sum
  if (setting_.beam && !cut && !(flux_beyond(fitted, pixels_, *setting_.beam) <= most_beyond)) return false;
  return little && rest.inside && rest.crowding <= 2 && rest.rise >= kLeastRise &&
         rest.flux >= (cut ? kLeastOfCut : 1 / kMostFlux) && rest.flux <= (cut ? kMostFlux * kMostFlux : kMostFlux);
}

FitRest FitLadder::rest_of(const std::vector<FittedGaussian>& fitted) const {
  const bool cut = std::ranges::any_of(initial_, &Candidate::cut);
  return fit_rest(fitted, pixels_, setting_.flood, cut ? setting_.known : nullptr);
}

void FitLadder::first_answer(const FitOutcome& outcome, const FittedGaussian* fitted) {
  if (outcome.status != FitStatus::settled) return go_down();
  accept(outcome, fitted);
  // Correlated weights take a smooth misfit for noise and pay little for it. Where it is more than noise the source is
  // no exact Gaussian, and ordinary weights keep its flux.
  holds_ = describes(held_, rung_ == Rung::correlated);
  if (holds_) attempts_.back().outcome = FitAttempt::Outcome::taken;
  go_on();
}

void FitLadder::accept(const FitOutcome& outcome, const FittedGaussian* fitted) {
  held_.assign(fitted, fitted + candidates_.size());
  held_candidates_ = candidates_;
  held_chi2_ = outcome.chi2;
  freed_.clear();
  if (rung_ == Rung::correlated || rung_ == Rung::plain || rung_ == Rung::beam_shape) held_rung_ = rung_;
  pair_tried_ = shapes_tried_ = residual_tried_ = false;
}

/// A component more where one is asked for; then the answer, or the next rung where nothing helps.
void FitLadder::go_on() {
  if (setting_.as_asked) return holds_ ? finish() : go_down();
  if (setting_.beam && (try_shapes() || try_residual() || try_pair())) return;
  if (!holds_) return go_down();
  if (!try_significance()) finish();
}

void FitLadder::trial_answer(const FitOutcome& outcome, const FittedGaussian* fitted) {
  const std::vector<FittedGaussian> got(fitted, fitted + candidates_.size());
  const bool better = outcome.status == FitStatus::settled && worth_it(outcome, got);
  const Rung trial = rung_;
  if (trial == Rung::shapes && outcome.status == FitStatus::settled) freed_ = got;
  if (better) {
    accept(outcome, fitted);
    holds_ = describes(got, held_rung_ == Rung::correlated);
    attempts_.back().outcome = FitAttempt::Outcome::taken;
    shapes_tried_ = trial == Rung::shapes;
  }
  go_on();
}

/// By which chi^2 must fall for a trial to be taken.
double FitLadder::least_gain() const {
  // Ordinary weights count each pixel of a noise peak: chi^2 is larger by the pixels that go together, a beam.
  return kLeastGain * (correlated_ || setting_.ordinary ? 1 : gaussian_area(*setting_.beam) / pixels_.stand_for);
}

/// A trial is taken if chi^2 falls by more than noise would make it, and every component it is about would be detected
/// by itself.
bool FitLadder::worth_it(const FitOutcome& outcome, const std::vector<FittedGaussian>& fitted) const {
  if (!(held_chi2_ - outcome.chi2 > least_gain())) return false;
  if (holds_ && !describes(fitted, held_rung_ == Rung::correlated)) return false;
  if (any_at_bound(fitted) && rung_ == Rung::shapes) return false;
  const double least_apart = 0.5 * ellipse_of(*setting_.beam).minor;
  for (std::size_t k = changed_; k < fitted.size(); ++k) {
    const GaussianComponent& one = fitted[k].component;
    if (fitted[k].at_bound || !(one.peak > setting_.seed * rms_near(one)) ||
        !(one.peak > kSure * std::sqrt(fitted[k].covariance[0][0])))
      return false;
    for (std::size_t j = 0; j < k; ++j)
      if (std::hypot(one.x - fitted[j].component.x, one.y - fitted[j].component.y) < least_apart) return false;
  }
  return true;
}

double FitLadder::rms_near(const GaussianComponent& at) const { return pixels_.rms[nearest_pixel(pixels_, at)]; }

/// Noise that is smoothed by the beam has an autocorrelation wider than the beam, and its peaks have that shape: the
/// beam's amplitude tells them from sources better than a pixel does. A source wider than the beam is known by its
/// total.
bool FitLadder::try_significance() {
  if (!setting_.noise_measured || held_rung_ != Rung::correlated || held_.size() != 1 || core() ||
      !held_candidates_[0].bounds.shape_free || !affordable(1, true))
    return false;
  const FittedGaussian& fit = held_[0];
  if (fit.component.peak > kSurePeak * setting_.seed * rms_near(fit.component) ||
      1 / relative_total_error(fit.component, fit.covariance) >= setting_.seed)
    return false;
  candidates_ = held_candidates_;
  candidates_[0].start = fit.component;
  candidates_[0].start.fwhm2 = *setting_.beam;
  candidates_[0].bounds.shape_free = false;
  correlated_ = true;
  rung_ = Rung::significance;
  return true;
}

void FitLadder::significance_answer(const FitOutcome& outcome, const FittedGaussian& fitted) {
  noise_ = outcome.status == FitStatus::settled &&
           fitted.component.peak < setting_.seed * std::sqrt(fitted.covariance[0][0]);
  if (!noise_) attempts_.back().outcome = FitAttempt::Outcome::taken;
  finish();
}

/// Starts and bounds of the held components are where they settled.
void FitLadder::start_from_held() {
  candidates_ = held_candidates_;
  for (std::size_t k = 0; k < held_.size(); ++k) candidates_[k].start = held_[k].component;
  correlated_ =
      setting_.beam && !setting_.ordinary && held_rung_ != Rung::plain && affordable(candidates_.size(), true);
}

/// A beam where the highest peak is left.
bool FitLadder::try_residual() {
  if (residual_tried_ || core() || !affordable(held_.size() + 1, correlated_)) return false;
  residual_tried_ = true;
  std::size_t highest = 0;
  double most = 0, brightest = 0;
  for (const FittedGaussian& one : held_) brightest = std::max(brightest, one.component.peak);
  for (std::size_t i = 0; i < pixels_.value.size(); ++i) {
    const double left = (pixels_.value[i] - value_of(held_, pixels_.x[i], pixels_.y[i])) / pixels_.rms[i];
    if (left > most) most = left, highest = i;
  }
  const double height = most * pixels_.rms[highest];
  if (!(most > kLeastResidual) || !(height > kLeastContrast * brightest)) return false;
  start_from_held();
  Candidate fresh;
  fresh.start = {std::max(height, setting_.seed * pixels_.rms[highest]), static_cast<double>(pixels_.x[highest]),
                 static_cast<double>(pixels_.y[highest]), *setting_.beam};
  fresh.bounds = initial_[0].bounds;
  fresh.bounds.reach = 0.75 * ellipse_of(*setting_.beam).major;
  fresh.bounds.shape_free = false;
  changed_ = candidates_.size();
  candidates_.push_back(fresh);
  rung_ = Rung::residual;
  return true;
}

/// Two beams in place of the component that is most surely wider than one: a pair s apart looks like a Gaussian of
/// M^2 = B^2 + 2 ln 2 s^2 along the line between them.
bool FitLadder::try_pair() {
  constexpr double kMostMajor = 3,
                   kMostMinor = 1.3;  // beams: pairs are wide one way only, and further apart they have a saddle
  const Ellipse beam = ellipse_of(*setting_.beam);
  if (pair_tried_ || core() || !affordable(held_.size() + 1, correlated_)) return false;
  pair_tried_ = true;
  std::size_t widest = 0;
  double surest = kClear;
  for (std::size_t k = 0; k < held_.size(); ++k) {
    const Covariance& shape = held_[k].component.fwhm2;
    const Ellipse axes = ellipse_of(shape);
    if (!held_candidates_[k].bounds.shape_free || axes.major > kMostMajor * beam.major ||
        axes.minor > kMostMinor * beam.major)
      continue;
    const double sure =
        0.5 * std::log(area2(shape) / area2(*setting_.beam)) / log_area_error(shape, shape_errors_of(held_[k]));
    if (sure > surest) surest = sure, widest = k;
  }
  if (!(surest > kClear)) return false;
  start_from_held();
  Candidate one = candidates_[widest];
  const Covariance rest = one.start.fwhm2 - *setting_.beam;
  const double half = std::hypot(0.5 * (rest.xx - rest.yy), rest.xy), mean = 0.5 * (rest.xx + rest.yy);
  const double angle = 0.5 * std::atan2(2 * rest.xy, rest.xx - rest.yy);
  const double apart = std::sqrt(std::max(0.0, mean + half) / (2 * std::numbers::ln2));
  candidates_.erase(candidates_.begin() + static_cast<std::ptrdiff_t>(widest));
  changed_ = candidates_.size();
  const GaussianComponent middle = one.start;
  one.bounds.reach = std::max(one.bounds.reach, apart);
  one.bounds.shape_free = false;
  for (const double side : {0.5, -0.5}) {
    one.start = {0.6 * middle.peak, middle.x + side * apart * std::cos(angle),
                 middle.y + side * apart * std::sin(angle), *setting_.beam};
    candidates_.push_back(one);
    one.source = Candidate::kExtra;
  }
  rung_ = Rung::pair;
  return true;
}

/// Free shapes for the components that were added with the beam's.
bool FitLadder::try_shapes() {
  if (shapes_tried_ || held_rung_ == Rung::beam_shape) return false;
  const auto fixed = [](const Candidate& one) { return !one.bounds.shape_free; };
  if (std::ranges::none_of(held_candidates_, fixed) || !affordable(held_.size(), correlated_)) return false;
  shapes_tried_ = true;
  start_from_held();
  for (Candidate& one : candidates_) one.bounds.shape_free = true;
  changed_ = 0;
  rung_ = Rung::shapes;
  return true;
}

/// The rung below the one that the held fit, or the last that did not settle, stands on.
void FitLadder::go_down() {
  if (together_) return finish();
  const Rung from = rung_ == Rung::correlated || rung_ == Rung::plain || rung_ == Rung::beam_shape ? rung_ : held_rung_;
  held_.clear();
  candidates_ = initial_;
  const bool affordable_still = affordable(candidates_.size(), false);
  if (from == Rung::correlated && affordable_still) {
    rung_ = Rung::plain;
    correlated_ = false;
  } else if (from == Rung::plain && setting_.beam && affordable_still) {
    rung_ = Rung::beam_shape;
    for (Candidate& one : candidates_) one.start.fwhm2 = *setting_.beam, one.bounds.shape_free = false;
    correlated_ = !setting_.ordinary && affordable(candidates_.size(), true);
  } else {
    in_parts_ = candidates_.size() > 1;
    finish();
  }
}

void FitLadder::finish() {
  rung_ = Rung::finished;
  if (!holds_ || (together_ && any_at_bound(held_))) return;
  if (held_rung_ == Rung::plain) widen_errors(held_, rest_of(held_));
  for (std::size_t k = 0; k < held_.size(); ++k) {
    const auto [unsure, beyond] = extrapolation(k);
    LadderResult one{held_[k], flag_, held_candidates_[k].source, noise_, unsure};
    if (beyond) one.flag |= kFlagBeyond;
    if (held_rung_ == Rung::plain && setting_.beam) one.flag |= kFlagPlainWeights;
    if (!held_candidates_[k].bounds.shape_free) one.flag |= kFlagBeamShape;
    if (one.gaussian.at_bound) one.flag |= kFlagBound;
    if (one.source == Candidate::kExtra) one.flag |= kFlagExtra;
    results_.push_back(one);
  }
}

Extrapolation FitLadder::extrapolation(std::size_t k) const {
  if (std::ranges::none_of(initial_, &Candidate::cut)) return {};
  const bool alone = held_.size() == 1 &&
                     noise_alone(fit_rest(held_, pixels_, setting_.flood, setting_.known), pixels_, setting_.beam);
  return extrapolated(
      {held_[k], held_candidates_[k].bounds.shape_free, alone, freed_.size() == held_.size() ? &freed_[k] : nullptr},
      setting_.beam, *setting_.known);
}

}  // namespace reber
