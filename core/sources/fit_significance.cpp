// SPDX-License-Identifier: BSD-3-Clause
// Whether a faint detection is a source or a peak of the noise.
#include <cmath>
#include <numbers>

#include "core/sources/fit_ladder.hpp"
#include "core/sources/shape_errors.hpp"

namespace reber {
namespace {

/// Seed thresholds above which no noise peak is to be expected in any image.
constexpr double kSurePeak = 1.3;

}  // namespace

/// Noise that is smoothed by the beam has an autocorrelation wider than the beam, and its peaks have that shape: the
/// beam's amplitude tells them from sources better than a pixel does. A source wider than the beam is known by its
/// total.
bool FitLadder::try_significance() {
  if (!setting_.noise_measured || held_rung_ != Rung::correlated || held_.size() != 1 || core() ||
      !held_candidates_[0].bounds.shape_free || !affordable(1, true))
    return false;
  const FittedGaussian& fit = held_[0];
  if (fit.component.peak > kSurePeak * setting_.seed * rms_near(fit.component.x, fit.component.y) ||
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
  finish();
}

}  // namespace reber
