// SPDX-License-Identifier: BSD-3-Clause
// The attempts at one island: which Gaussians are tried on it, in which order, and which answer is taken.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/measure/sources/cut_errors.hpp"
#include "core/measure/sources/fit_rest.hpp"
#include "core/measure/sources/known_pixels.hpp"
#include "core/measure/sources/row_story.hpp"
#include "core/measure/sources/source.hpp"
#include "core/seam/compute/gaussian_fit.hpp"

namespace reber {

/// By which chi^2 falls for a component or a shape that is taken.
inline constexpr double kLeastGain = 10;

/// Residual, in rms, that asks for one component more.
inline constexpr double kLeastResidual = 4;

/// Multiply-adds that one fit may cost: well below a second of one processor.
constexpr double kMostWork = 2e8;

/// What the islands of an image share.
struct LadderSetting {
  std::optional<Covariance> beam;      ///< FWHM^2 on the grid; without one, weights are ordinary and nothing is added
  double seed = 5, flood = 3;          ///< thresholds in rms
  bool noise_measured = false;         ///< its autocorrelation is known: faint detections are held against it
  const KnownPixels* known = nullptr;  ///< of the image; needed where a candidate is cut
  bool ordinary = false;               ///< ordinary weights are the best: the noise has no correlation to speak of
  double most_work = kMostWork;        ///< of one fit
  bool as_asked = false;  ///< the components are those given: none are added, none tested against the noise, no parts
};

/// A Gaussian on its way: start, bounds, and the source it stands for.
struct Candidate {
  static constexpr std::ptrdiff_t kExtra = -1;
  GaussianComponent start;
  FitBounds bounds;
  std::ptrdiff_t source = kExtra;  ///< entry of the island's sources; kExtra: found in what a fit left
  bool cut = false;                ///< by the image's edge or by blank pixels
};

/// An answer: its Gaussian and the kFlag... bits of the way to it.
struct LadderResult {
  FittedGaussian gaussian;
  std::int64_t flag = 0;
  std::ptrdiff_t source = Candidate::kExtra;
  bool noise = false;  ///< the source is a peak of the noise: no row
  double unsure = 0;   ///< part of its flux that the known pixels do not tell: SourceFit
};

/// One island's attempts, in order. Each rung is a problem for the backend:
///   1. all components, weights for the noise: correlated like the beam, or ordinary
///   2. all components, ordinary weights
///   3. the beam's shape
///   4. the island in parts, one per component; of a single source its core: parts()
///   5. the parts together, from where they ended, if all were found: fit_parts.hpp
///   6. nothing: moments
/// If a fit describes the island, components are added while chi^2 asks for them: a beam at the highest peak of the
/// residual, or a pair of beams in place of one Gaussian wider than the beam. A faint single source is tested last
/// against the noise. docs/numerics.md#the-ladder-of-fits has the rules. The cost of each rung is bounded: an island of
/// too many pixels is fitted on every n-th of them in x and y, as long as those sample the beam.
class FitLadder {
 public:
  /// candidates: at least one, those of the island's sources;   margin: pixels beside the island, which are fitted with
  /// its own but describe no source
  FitLadder(FitPixels pixels, std::vector<Candidate> candidates, const LadderSetting& setting, std::int64_t flag = 0,
            FitPixels margin = {});

  /// One that begins with ordinary weights where parts fitted by themselves ended, and ends without a result where that
  /// does not describe the island or comes to a bound.   starts: of all components
  static FitLadder together(FitPixels pixels, std::vector<Candidate> starts, const LadderSetting& setting,
                            FitPixels margin = {});

  [[nodiscard]] bool finished() const { return rung_ == Rung::finished; }
  /// The question is one about the noise: its weights are to be those of the measured autocorrelation.
  [[nodiscard]] bool about_noise() const { return rung_ == Rung::significance; }
  /// The size of the problem at hand, to be laid out; not when finished.
  [[nodiscard]] FitProblem question() const;
  /// Fills the room that the batch has for it.
  void ask(FitBatch& batch, const FitProblem& room) const;
  /// fitted: as many as the problem has components
  void take(const FitOutcome& outcome, const FittedGaussian* fitted);

  /// Once finished: what was found, none for sources that keep their moments.
  [[nodiscard]] const std::vector<LadderResult>& results() const { return results_; }
  /// What was tried so far, in order.
  [[nodiscard]] const std::vector<FitAttempt>& attempts() const { return attempts_; }
  /// Once finished: ladders for an island that no fit of the whole describes or can afford. Of several sources its
  /// parts; of a single one its core, the pixels around the peak above the level that surrounds them.
  [[nodiscard]] std::vector<FitLadder> parts() const;

 private:
  using Rung = FitRung;

  [[nodiscard]] bool core() const { return (flag_ & kFlagCore) != 0; }
  [[nodiscard]] std::optional<FitLadder> core_ladder() const;
  [[nodiscard]] FitRest rest_of(const std::vector<FittedGaussian>& fitted) const;
  [[nodiscard]] bool describes(const std::vector<FittedGaussian>& fitted, bool strictly) const;
  [[nodiscard]] double work(std::size_t components, bool correlated, double rounds) const;
  [[nodiscard]] std::size_t seen() const { return pixels_.value.size() + margin_.value.size(); }
  [[nodiscard]] bool affordable(std::size_t components, bool correlated) const;
  [[nodiscard]] double rms_near(const GaussianComponent& at) const;
  void begin();
  void tell(const FitOutcome& outcome);
  void thin_out();
  void first_answer(const FitOutcome& outcome, const FittedGaussian* fitted);
  void trial_answer(const FitOutcome& outcome, const FittedGaussian* fitted);
  [[nodiscard]] double least_gain() const;
  [[nodiscard]] bool worth_it(const FitOutcome& outcome, const std::vector<FittedGaussian>& fitted) const;
  void accept(const FitOutcome& outcome, const FittedGaussian* fitted);
  void go_on();
  bool try_residual();
  bool try_pair();
  bool try_shapes();
  bool try_significance();
  void significance_answer(const FitOutcome& outcome, const FittedGaussian& fitted);
  void go_down();
  void start_from_held();
  void finish();
  [[nodiscard]] Extrapolation extrapolation(std::size_t k) const;

  FitPixels pixels_, margin_;
  FitPixels all_, all_margin_;  ///< the same where a lattice of them is fitted; else empty
  LadderSetting setting_;
  FitPixels around_;                   ///< of a part: the island's pixels around its peak; else empty
  std::vector<Candidate> candidates_;  ///< of the question at hand
  std::vector<Candidate> initial_;
  std::int64_t flag_ = 0;
  Rung rung_ = Rung::finished;
  Rung held_rung_ = Rung::finished;   ///< the rung whose weights and shapes the held fit has
  bool correlated_ = false;           ///< weights of the question at hand
  bool holds_ = false;                ///< the held fit describes the island
  std::vector<FittedGaussian> held_;  ///< best fit so far; empty: none settled
  std::vector<Candidate> held_candidates_;
  std::vector<FittedGaussian> freed_;  ///< what became of the held fit with free shapes; empty: not tried, not settled
  double held_chi2_ = 0;
  double spent_ = 0;         ///< multiply-adds of the questions answered
  std::size_t changed_ = 0;  ///< first of the candidates that a trial is about
  bool noise_ = false;       ///< the island is a noise peak
  bool pair_tried_ = false, shapes_tried_ = false, residual_tried_ = false;
  std::vector<LadderResult> results_;
  std::vector<FitAttempt> attempts_;
  bool in_parts_ = false, together_ = false;
};

}  // namespace reber
