// SPDX-License-Identifier: BSD-3-Clause
// One fit by hand after the other: its rows, its pixels, the ladders that are tried, and the rows that come of them.
#include "core/run/pipeline/hand_fits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <utility>

#include "core/base/gaussian.hpp"
#include "core/base/thread_pool.hpp"
#include "core/measure/fitting/island_margin.hpp"
#include "core/measure/fitting/refinements.hpp"
#include "core/measure/sources/cut_sources.hpp"
#include "core/measure/sources/fit_ladder.hpp"
#include "core/measure/sources/fit_parts.hpp"
#include "core/measure/sources/scale_islands.hpp"
#include "core/run/pipeline/hand_pixels.hpp"
#include "core/run/pipeline/hand_starts.hpp"
#include "core/sky/model/wcs.hpp"

namespace reber {
namespace {

/// A Gaussian that takes part in a fit.
struct Member {
  GaussianComponent start;
  bool asked = false;  ///< what the person asked for, else a row beside it
  bool shape_free = true;
  Origin origin = Origin::refitted;
  bool cut = false;
  double reach_px = 0;  ///< of its centre from the start
};

/// Rows that a fit gave, one per member it was of.
struct Answer {
  std::vector<Member> members;
  std::vector<LadderResult> results;  ///< of each; empty: moments
  std::vector<FitPixels> shares;      ///< pixels of each
  std::vector<FitAttempt> attempts;   ///< of all ladders so far
};

double fwhm_at(const Covariance& beam, double dx, double dy) {
  const double determinant = beam.xx * beam.yy - beam.xy * beam.xy;
  return std::sqrt((beam.yy * dx * dx - 2 * beam.xy * dx * dy + beam.xx * dy * dy) / determinant);
}

/// Why none of the fits that were tried holds.
std::string why_none(const std::vector<FitAttempt>& attempts) {
  if (attempts.empty()) return "no peak stands out there, or its island has too many pixels to be fitted";
  const FitAttempt& last = attempts.back();
  if (std::ranges::none_of(attempts, [](const FitAttempt& one) { return one.outcome == FitAttempt::Outcome::refused; }))
    return fmt::format("the fit of {} Gaussian{} did not settle", last.components, last.components == 1 ? "" : "s");
  return fmt::format("{} Gaussian{} do{} not describe the {} pixels there", last.components,
                     last.components == 1 ? "" : "s", last.components == 1 ? "es" : "", last.pixels);
}

class HandFitter {
 public:
  HandFitter(const Result& result, const Job& job)
      : result_(result),
        job_(job),
        request_(*result.outcomes.judged->key.parameters),
        header_(result.header()),
        beams_(result.beams()),
        found_(result.outcomes.positive),
        options_(found_.detected->value.options),
        known_(*found_.detected->value.known),
        fitter_(*found_.fitted->value.fitter),
        pool_(request_.fit.threads),
        pixels_(result, options_, job) {
    made_.sources = result.sources();
    made_.found = made_.sources.size();
    made_.origin.assign(made_.found, Origin::found);
    made_.replaced.assign(made_.found, 0);
  }

  HandRows run(std::span<const HandFit> fits) {
    made_.fits.assign(fits.begin(), fits.end());
    for (const HandFit& fit : fits) {
      job_.check();
      made_.why_not.push_back(one(fit));
    }
    return std::move(made_);
  }

 private:
  [[nodiscard]] std::string one(const HandFit& fit);
  [[nodiscard]] std::vector<std::size_t> rows_at(const std::vector<HandPlace>& places) const;
  [[nodiscard]] std::string begin(const HandFit& fit);
  [[nodiscard]] Covariance beam_at(double x, double y) const {
    return beams_.varies() ? beams_.at(x, y).pixels : *fitter_.beam_px();
  }
  [[nodiscard]] bool try_fit(FitPixels pixels, const std::vector<Member>& members, std::int64_t flag, double flood,
                             Answer& to);
  [[nodiscard]] bool try_together(Answer& to);
  [[nodiscard]] bool try_part(Answer& to);
  [[nodiscard]] bool try_core(Answer& to);
  [[nodiscard]] std::string doubt(const Answer& answer) const;
  void take(const Answer& answer);

  const Result& result_;
  const Job& job_;
  const Request& request_;
  const ImageHeader& header_;
  const BeamField beams_;
  const FoundSources& found_;
  const DetectOptions& options_;
  const KnownPixels& known_;
  const SourceFitter& fitter_;
  ThreadPool pool_;
  HandPixels pixels_;
  HandRows made_;

  // Of the fit at hand.
  std::vector<std::size_t> old_;     ///< rows it stands for
  std::vector<std::size_t> beside_;  ///< the other rows of its islands
  std::vector<Member> asked_;
  Covariance beam_;
  HandPixels::Area area_;
  FitPixels here_;  ///< the area's pixels less background
};

/// The row of each place, the nearest within reach; places whose row is gone give none.
std::vector<std::size_t> HandFitter::rows_at(const std::vector<HandPlace>& places) const {
  const double reach = same_row_px(header_, result_.beam());
  std::vector<std::size_t> rows;
  for (const HandPlace& place : places) {
    double least = reach;
    std::size_t best = made_.sources.size();
    for (std::size_t k = 0; k < made_.sources.size(); ++k) {
      const Source& source = made_.sources[k];
      if (made_.replaced[k] != 0 || source.negative || std::ranges::count(rows, k) > 0) continue;
      if (const double away = std::hypot(source.x - place.x, source.y - place.y); away < least) least = away, best = k;
    }
    if (best < made_.sources.size()) rows.push_back(best);
  }
  return rows;
}

/// Rows, starts and pixels of the fit.   returns why it cannot be
std::string HandFitter::begin(const HandFit& fit) {
  if (!can_be(fit)) return "that is not a fit by hand";
  old_ = rows_at(fit.replaces);
  if (fit.kind == Origin::merged && old_.size() < 2)
    return old_.empty() ? "its rows are no longer there" : "its rows are one already";
  if (old_.size() < fit.replaces.size() && fit.kind != Origin::merged) return "its row is no longer there";
  asked_.clear();
  const bool placed = fit.start.has_value();
  std::vector<GaussianComponent> models;
  bool cut = false;
  for (const std::size_t k : old_)
    models.push_back(made_.sources[k].model), cut |= (made_.sources[k].flag & kFlagEdge) != 0;
  const HandPlace middle = placed ? *fit.start : HandPlace{models.front().x, models.front().y};
  if (!std::isfinite(middle.x) || !std::isfinite(middle.y)) return "its row has no place";
  if (!known_.at(std::llround(middle.y), std::llround(middle.x)))
    return "there is no pixel: it is blank or off the image";
  beam_ = beam_at(middle.x, middle.y);
  std::vector<GaussianComponent> starts;
  if (placed) starts.push_back({0, middle.x, middle.y, beam_});
  if (fit.kind == Origin::merged) starts.push_back(together(models));
  if (fit.kind == Origin::split) starts = apart(models.front(), fit.parts, beam_);
  std::set<std::int64_t> labels;
  for (const std::size_t k : old_) labels.insert(made_.sources[k].island);
  if (labels.size() > 1 && fit.kind == Origin::merged) return "its rows are of several islands";
  area_ = pixels_.area(labels, placed ? std::optional(starts.front()) : std::nullopt);
  here_ = pixels_of(area_.pixels, 0, false);
  if (here_.value.empty()) return "there are no pixels with a noise to compare them with";
  if (placed)
    starts.front().peak = std::max(here_.value[nearest_pixel(here_, starts.front())],
                                   kLeastHandSnr * here_.rms[nearest_pixel(here_, starts.front())]);
  for (const GaussianComponent& start : starts) asked_.push_back({start, true, true, fit.kind, cut});
  if (fit.kind == Origin::merged) asked_.front().reach_px = 0.5 * ellipse_of(starts.front().fwhm2).major;
  if (fit.kind == Origin::split)
    for (Member& one : asked_) one.reach_px = std::hypot(starts[1].x - starts[0].x, starts[1].y - starts[0].y);
  beside_.clear();
  for (std::size_t k = 0; k < made_.sources.size(); ++k)
    if (made_.replaced[k] == 0 && area_.labels.contains(made_.sources[k].island) && std::ranges::count(old_, k) == 0)
      beside_.push_back(k);
  return {};
}

/// One ladder; its answer where it holds.
bool HandFitter::try_fit(FitPixels pixels, const std::vector<Member>& members, std::int64_t flag, double flood,
                         Answer& to) {
  if (pixels.value.empty()) return false;
  const Ellipse beam = ellipse_of(beam_);
  const auto [left, right] = std::ranges::minmax(pixels.x);
  const double extent = std::max(right - left, pixels.y.back() - pixels.y.front()) + 1;
  std::vector<Candidate> candidates;
  for (std::size_t k = 0; k < members.size(); ++k) {
    Candidate one;
    one.start = members[k].start, one.source = static_cast<std::ptrdiff_t>(k), one.cut = members[k].cut;
    one.bounds = {std::max({members[k].reach_px, 0.5 * beam.major, 1.0}), 0.8 * beam.minor,
                  std::numbers::sqrt2 * std::max(extent, beam.major), members[k].shape_free};
    candidates.push_back(one);
  }
  LadderSetting setting{beam_, options_.seed, flood, false, &known_, fitter_.ordinary_weights()};
  setting.as_asked = true;
  FitLadder ladder(pixels, std::move(candidates), setting, flag);
  fitter_.climb(*result_.backend, ladder, beam_, job_);
  std::ranges::copy(ladder.attempts(), std::back_inserter(to.attempts));
  if (ladder.results().size() != members.size()) return false;
  to.members = members, to.results = ladder.results();
  std::vector<GaussianComponent> fitted;
  for (const LadderResult& result : to.results) fitted.push_back(result.gaussian.component);
  to.shares = shares_of(pixels, fitted);
  return true;
}

/// All rows of the islands, where each of the others is a Gaussian.
bool HandFitter::try_together(Answer& to) {
  std::vector<Member> members = asked_;
  for (const std::size_t k : beside_) {
    const Source& row = made_.sources[k];
    if (!row.fitted || (row.flag & (kFlagCore | kFlagRest)) != 0) return false;
    const Origin was = made_.origin[k];
    members.push_back({row.model, false, (row.flag & kFlagBeamShape) == 0,
                       was == Origin::found ? Origin::refitted : was, (row.flag & kFlagEdge) != 0});
  }
  return try_fit(here_, members, 0, options_.flood, to);
}

/// The pixels where the rows that are replaced are brighter than the others of their island.
bool HandFitter::try_part(Answer& to) {
  std::vector<GaussianComponent> models;
  for (const std::size_t k : old_) models.push_back(made_.sources[k].model);
  for (const std::size_t k : beside_) models.push_back(made_.sources[k].model);
  const std::vector<FitPixels> shares = shares_of(here_, models);
  std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> mine;  // raster order
  FitPixels part;
  std::vector<std::pair<std::size_t, std::size_t>> from;
  for (std::size_t k = 0; k < old_.size(); ++k)
    for (std::size_t i = 0; i < shares[k].value.size(); ++i) {
      mine[{shares[k].y[i], shares[k].x[i]}] = from.size();
      from.emplace_back(k, i);
    }
  for (const auto& [place, entry] : mine) append_pixel(shares[from[entry].first], from[entry].second, part);
  if (part.value.empty()) return false;
  if (try_fit(part, asked_, kFlagPart, options_.flood, to)) return true;
  if (asked_.front().origin != Origin::merged) return false;
  to.members = asked_, to.results.clear(), to.shares = {part};  // its moments
  return true;
}

/// The source above the level around its start; by itself where there is no island.
bool HandFitter::try_core(Answer& to) {
  const bool alone = area_.labels.empty();
  FitPixels near = here_;
  if (alone) {  // no ring: the background is the level
    near = {};
    for (std::size_t i = 0; i < here_.value.size(); ++i)
      if (fwhm_at(beam_, here_.x[i] - asked_[0].start.x, here_.y[i] - asked_[0].start.y) <= 1)
        append_pixel(here_, i, near);
  }
  // The brightest pixel within half a beam of the place.
  std::size_t top = nearest_pixel(near, asked_[0].start);
  for (std::size_t i = 0; i < near.value.size(); ++i)
    if (fwhm_at(beam_, near.x[i] - asked_[0].start.x, near.y[i] - asked_[0].start.y) <= 0.5 &&
        near.value[i] > near.value[top])
      top = i;
  const auto problem = core_of(near, top, beam_, alone ? 0 : kLeastHandSnr);
  if (!problem) return false;
  std::vector<Member> members = asked_;
  members[0].start = problem->start;
  return try_fit(problem->pixels, members, alone ? 0 : kFlagCore, problem->flood, to);
}

/// Why an answer is not what was asked for, or nothing.
std::string HandFitter::doubt(const Answer& answer) const {
  const double least_apart = 0.5 * ellipse_of(beam_).minor;
  for (std::size_t k = 0; k < answer.results.size(); ++k) {
    if (!answer.members[k].asked) continue;
    const FittedGaussian& fit = answer.results[k].gaussian;
    const double snr = fit.component.peak / std::sqrt(fit.covariance[0][0]);
    if (!(snr >= kLeastHandSnr))
      return fmt::format("its peak is {:.1f} times its error, and {:g} are asked for", snr, kLeastHandSnr);
    for (std::size_t j = 0; j < answer.results.size(); ++j) {
      const GaussianComponent& other = answer.results[j].gaussian.component;
      if (j != k && !(std::hypot(other.x - fit.component.x, other.y - fit.component.y) >= least_apart))
        return "it ends less than half a beam from another source";
    }
    for (const std::size_t row : beside_)
      if (answer.results.size() == asked_.size() &&
          !(std::hypot(made_.sources[row].x - fit.component.x, made_.sources[row].y - fit.component.y) >= least_apart))
        return fmt::format("it ends less than half a beam from source {}", row);
  }
  return {};
}

std::string HandFitter::one(const HandFit& fit) {
  if (std::string why = begin(fit); !why.empty()) return why;
  Answer answer;
  const bool together = !area_.labels.empty() && try_together(answer);
  if (!together && !(fit.start ? try_core(answer) : try_part(answer))) return why_none(answer.attempts);
  std::string why = doubt(answer);
  if (why.empty()) take(answer);
  return why;
}

/// Puts the answer's rows behind the others.
void HandFitter::take(const Answer& answer) {
  const bool all = answer.members.size() == asked_.size() + beside_.size();
  const std::int64_t label = all            ? pixels_.keep(area_)
                             : old_.empty() ? *area_.labels.begin()
                                            : made_.sources[old_.front()].island;
  const auto attempts = std::make_shared<const std::vector<FitAttempt>>(answer.attempts);
  const IslandSums whole = sums_of(area_.pixels, 0, false);
  std::vector<SourceRow> rows;
  for (std::size_t k = 0; k < answer.members.size(); ++k) {
    SourceRow row;
    const GaussianComponent& at =
        answer.results.empty() ? answer.members[k].start : answer.results[k].gaussian.component;
    row.sums = HandPixels::sums_of_share(area_.pixels, answer.shares[k], at);
    row.island = label;
    row.shared = answer.members.size() > 1 || !all;
    row.whole_npix = row.shared ? whole.npix : 0;
    row.whole_s = row.shared ? whole.s : 0;
    row.story.attempts = attempts;
    row.fit.flag = kFlagNotFitted;
    if (!answer.results.empty()) {
      row.fit = {answer.results[k].gaussian, answer.results[k].flag};
      row.fit.unsure = answer.results[k].unsure;
    }
    rows.push_back(std::move(row));
  }
  LabelRuns runs;
  if (!known_.whole()) runs = area_.runs;
  for (LabelRuns::Run& run : runs.runs) run.label = static_cast<std::int32_t>(label);
  mark_cut(rows, runs, known_);
  IslandPixels its = area_.pixels;
  its.label = {label};
  Refining refining{*result_.backend, *result_.plane(), *result_.background(),    its,   options_, fitter_, beams_,
                    known_,           nullptr,          Refining::Islands::image, pool_, job_};
  refining.around.emplace();  // what refinements look at is the fit's pixels
  refine_rows(rows, refining);
  for (const std::size_t k : old_) made_.replaced[k] = 1;
  if (all)
    for (const std::size_t k : beside_) made_.replaced[k] = 1;
  std::vector<Source> sources =
      make_sources(rows, options_, header_, beams_, request_.calibration, request_.fit.threads);
  for (Source& source : sources) {
    made_.origin.push_back(answer.members[source.row].origin);
    made_.replaced.push_back(0);
    made_.fit.push_back(made_.why_not.size());
    source.row += made_.rows.size();
    made_.sources.push_back(source);
  }
  std::ranges::move(rows, std::back_inserter(made_.rows));
}

/// Why nothing can be done by hand with this result.
std::string why_nothing(const Result& result) {
  const Request& request = *result.outcomes.judged->key.parameters;
  if (!result.outcomes.positive.fitted) return "the sources are measured by moments: choose Gaussian fits";
  if (request.scales.any()) return "sources of several scales are not fitted by hand";
  if (!result.outcomes.positive.fitted->value.fitter->beam_px()) return "the image has no beam";
  return {};
}

}  // namespace

HandRows fit_by_hand(const Result& result, std::span<const HandFit> fits, const Job& job) {
  if (const std::string why = why_nothing(result); !why.empty()) {
    HandRows made;
    made.sources = result.sources();
    made.found = made.sources.size();
    made.origin.assign(made.found, Origin::found);
    made.replaced.assign(made.found, 0);
    made.fits.assign(fits.begin(), fits.end());
    made.why_not.assign(fits.size(), why);
    return made;
  }
  return HandFitter(result, job).run(fits);
}

}  // namespace reber
