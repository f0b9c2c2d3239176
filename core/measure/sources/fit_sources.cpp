// SPDX-License-Identifier: BSD-3-Clause
// Starting values, bounds and fallbacks of the fits of a run's sources, and the work they may cost.
#include "core/measure/sources/fit_sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>
#include <numbers>
#include <span>
#include <utility>

#include "core/measure/sources/cut_errors.hpp"
#include "core/measure/sources/cut_sources.hpp"
#include "core/measure/sources/fit_ladder.hpp"
#include "core/measure/sources/fit_parts.hpp"
#include "core/measure/sources/fitted_rows.hpp"

namespace reber {
namespace {

std::vector<IslandSources> group(const std::vector<SourceRow>& sums, const IslandPixels& pixels) {
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

/// The part's second moments; those of the pixels above a threshold are about 1 / 1.5 of the Gaussian's own.
Covariance shape_from_moments(const IslandSums& sums) {
  const double dx = sums.sx / sums.s, dy = sums.sy / sums.s, scale = 1.5 * kFwhm2PerVariance;
  return {scale * (sums.sxx / sums.s - dx * dx + 1.0 / 12), scale * (sums.sxy / sums.s - dx * dy),
          scale * (sums.syy / sums.s - dy * dy + 1.0 / 12)};
}

std::vector<Candidate> candidates_of(const std::vector<SourceRow>& sums, const IslandSources& island,
                                     const FitPixels& pixels, const std::optional<Covariance>& beam,
                                     const KnownPixels& known) {
  const double extent = extent_of(pixels);
  const Ellipse beam_axes = beam ? ellipse_of(*beam) : Ellipse{1, 1, 0};
  std::vector<Candidate> candidates;
  for (std::size_t k = 0; k < island.count; ++k) {
    const SourceRow& source = sums[island.first + k];
    const IslandSums& part = source.sums;
    Candidate one;
    one.source = static_cast<std::ptrdiff_t>(k);
    one.start.peak = std::abs(static_cast<double>(part.peak) - part.peak_mean);
    // A part's centroid leans away from its neighbours; its brightest pixel does so less.
    one.start.x = source.shared ? part.peak_x : part.first_x + part.sx / part.s;
    one.start.y = source.shared ? part.peak_y : part.first_y + part.sy / part.s;
    one.start.fwhm2 = shape_from_moments(part);
    one.bounds.reach = 0.5 * std::max({beam_axes.major, ellipse_of(one.start.fwhm2).major, 2.0});
    one.bounds.least_fwhm = 0.8 * beam_axes.minor;
    one.bounds.most_fwhm = std::numbers::sqrt2 * std::max(extent, beam_axes.major);
    one.cut = source.cut;
    if (one.cut && beam) start_of_cut(pixels, *beam, known, one);
    candidates.push_back(one);
  }
  if (beam && candidates.size() > 1) merge_cut(*beam, candidates);
  return candidates;
}

/// One island's ladder, or that of a part of it.
struct Work {
  std::size_t island;  ///< entry of the islands
  FitLadder ladder;
};

using Ladders = std::vector<std::unique_ptr<Work>>;

/// Islands or ladders of one task of a thread: some hundred tasks, so that one large island keeps no other waiting.
std::size_t together(std::size_t count) { return std::clamp<std::size_t>(count / 256, 1, 64); }
std::size_t tasks_of(std::size_t count) { return (count + together(count) - 1) / together(count); }

/// Calls body(i, task) for each i of [0, count), in order within a task.
template <class Body>
void for_each_task(ThreadPool& pool, std::size_t count, const Job& job, const Body& body) {
  pool.for_each(static_cast<std::int64_t>(tasks_of(count)), [&](std::int64_t number) {
    const auto task = static_cast<std::size_t>(number);
    const std::size_t first = task * together(count);
    for (std::size_t i = first; i < std::min(count, first + together(count)); ++i) {
      job.check();
      body(i, task);
    }
  });
}

/// What became of the ladders of one task, in their order.
struct Settled {
  Ladders open;
  struct Done {
    std::size_t island;  ///< entry
    std::vector<LadderResult> results;
    std::vector<FitAttempt> attempts;
  };
  std::vector<Done> done;
};

/// What the ladders of each island gave, and what they tried.
struct Answers {
  explicit Answers(std::size_t islands) : results(islands), attempts(islands) {}
  std::vector<std::vector<LadderResult>> results;
  std::vector<std::vector<FitAttempt>> attempts;
};

/// A finished ladder gives its results and, in its place, those of its parts.
void settle(std::unique_ptr<Work> one, Settled& to) {
  if (!one->ladder.finished()) {
    to.open.push_back(std::move(one));
    return;
  }
  to.done.push_back({one->island, one->ladder.results(), one->ladder.attempts()});
  for (FitLadder& part : one->ladder.parts()) settle(std::make_unique<Work>(Work{one->island, std::move(part)}), to);
}

/// The ladders still open, in order; results of the others are added to their islands'.
Ladders joined(std::vector<Settled> tasks, Answers& found) {
  Ladders open;
  for (Settled& task : tasks) {
    std::ranges::move(task.open, std::back_inserter(open));
    for (auto& [island, results, attempts] : task.done) {
      std::ranges::move(results, std::back_inserter(found.results[island]));
      std::ranges::move(attempts, std::back_inserter(found.attempts[island]));
    }
  }
  return open;
}

/// Asks every open ladder's question in one batch and hands out the answers.
/// returns the ladders still open; results of the others are added to their islands'
Ladders next_round(Backend& backend, Ladders open, FitBatch& batch, ThreadPool& pool, Answers& found, const Job& job) {
  std::vector<FitProblem> sizes;
  sizes.reserve(open.size());
  for (const std::unique_ptr<Work>& one : open) sizes.push_back(one->ladder.question());
  batch.lay_out(std::move(sizes));
  for_each_task(pool, open.size(), job,
                [&](std::size_t i, std::size_t) { open[i]->ladder.ask(batch, batch.problems[i]); });
  const FitResults results = backend.fits().fit(batch, job);
  std::vector<Settled> settled(tasks_of(open.size()));
  for_each_task(pool, open.size(), job, [&](std::size_t i, std::size_t task) {
    open[i]->ladder.take(results.problems[i], results.components.data() + batch.problems[i].first_component);
    settle(std::move(open[i]), settled[task]);
  });
  return joined(std::move(settled), found);
}

/// Ladders for the islands whose parts were fitted, to fit these together. Cut sources stay as they are.
Ladders of_parts(const std::vector<SourceRow>& sums, const std::vector<IslandSources>& islands,
                 const IslandPixels& pixels, const IslandPixels& margins,
                 const std::vector<std::vector<LadderResult>>& found, const std::vector<LadderSetting>& settings,
                 bool negative) {
  Ladders open;
  for (std::size_t i = 0; i < islands.size(); ++i) {
    const auto its = std::span(sums).subspan(islands[i].first, islands[i].count);
    if (found[i].size() < 2 ||
        std::ranges::none_of(found[i], [](const LadderResult& one) { return (one.flag & kFlagPart) != 0; }) ||
        std::ranges::any_of(its, &SourceRow::cut))
      continue;
    auto ladder =
        together_of(pixels_of(pixels, islands[i].pixels, negative), found[i], its.size(),
                    settings[settings.size() > 1 ? i : 0], pixels_of_label(margins, its.front().island, negative));
    if (ladder && !ladder->finished()) open.push_back(std::make_unique<Work>(Work{i, std::move(*ladder)}));
  }
  return open;
}

/// Those that fulfil a condition, in order; the others stay.
template <class Condition>
Ladders taken(Ladders& from, const Condition& condition) {
  const auto last = std::stable_partition(from.begin(), from.end(),
                                          [&](const std::unique_ptr<Work>& one) { return !condition(*one); });
  Ladders chosen(std::make_move_iterator(last), std::make_move_iterator(from.end()));
  from.erase(last, from.end());
  return chosen;
}

/// Tells what part of the sources stands in islands whose fits are done. An island may have several ladders.
void tell_refined(const Ladders& open, const std::vector<IslandSources>& islands, const Job& job) {
  std::vector<std::uint8_t> under_way(islands.size(), 0);
  for (const std::unique_ptr<Work>& one : open) under_way[one->island] = 1;
  double all = 0, done = 0;
  for (std::size_t i = 0; i < islands.size(); ++i) {
    all += static_cast<double>(islands[i].count);
    done += under_way[i] != 0 ? 0 : static_cast<double>(islands[i].count);
  }
  if (all > 0) job.report("fits", done / all);
}

}  // namespace

SourceFitter::SourceFitter(const FitRequest& request, const ImageHeader& header, const BeamField& beams)
    : request_(request), shape_(header.shape), beams_(beams) {
  const std::optional<Beam>& beam = beams.nominal();
  const auto centre = header.centre_geometry();
  if (!beam || !(centre || beams.varies())) return;
  if (!beams.varies())
    beam_px_ = to_pixels(sky_covariance(beam->major_deg, beam->minor_deg, beam->pa_deg), *centre);
  else
    beam_px_ = beams.at(0.5 * static_cast<double>(shape_.nx - 1), 0.5 * static_cast<double>(shape_.ny - 1)).pixels;
  beam_noise_ = NoiseCorrelation::of_shape(*beam_px_);
}

void SourceFitter::measure_noise(Backend& backend, const Plane& plane, const BackgroundModel& background,
                                 const IslandMap& islands, const Job& job) {
  const auto reach = noise_reach(beam_px_ ? ellipse_of(*beam_px_).major : 0);
  if (!reach) return;
  const auto limit = static_cast<float>(islands.options().seed);
  const NoiseOf of{backend, plane, background, islands};
  ThreadPool pool(request_.threads);
  if (!beams_.varies()) {
    measured_ = measure_noise_correlation(of, reach->reach, limit, reach->grow, pool, job);
    return;
  }
  NoiseByPlace noise = measure_noise_by_place(of, beams_, *beam_px_, limit, pool, job);
  measured_ = std::move(noise.as_it_is), at_middle_ = std::move(noise.at_middle);
}

BeamClasses SourceFitter::classes() const {
  using Errors = BeamClasses::Errors;
  // White noise has no shape that would follow the beam.
  return {beam_noise_, errors_noise(), beams_.varies() ? beam_px_ : std::nullopt,
          measured_.pixels == 0 ? Errors::of_beam
          : ordinary_           ? Errors::as_measured
                                : Errors::stretched};
}

std::vector<SourceRow> SourceFitter::fit(Backend& backend, const std::vector<SourceRow>& sources,
                                         const IslandPixels& pixels, const DetectOptions& options,
                                         const KnownPixels& known, const Job& job, const IslandPixels& margins) const {
  const std::vector<IslandSources> islands = group(sources, pixels);
  const LadderSetting nominal{beam_px_, options.seed, options.flood, beam_px_ && measured_.pixels > 0,
                              &known,   ordinary_};
  std::vector<LadderSetting> settings(beams_.varies() ? islands.size() : 1, nominal);
  const auto setting_of = [&](std::size_t i) -> const LadderSetting& { return settings[beams_.varies() ? i : 0]; };
  BeamClasses classes = this->classes();
  for (std::size_t i = 0; beams_.varies() && i < islands.size(); ++i) {
    const IslandSums& brightest = sources[islands[i].first].sums;
    settings[i].beam = beams_.at(static_cast<double>(brightest.peak_x), static_cast<double>(brightest.peak_y)).pixels;
    classes.add(*settings[i].beam);
  }
  ThreadPool pool(request_.threads);
  Answers found(islands.size());
  std::vector<Settled> begun(tasks_of(islands.size()));
  for_each_task(pool, islands.size(), job, [&](std::size_t i, std::size_t task) {
    FitPixels its = pixels_of(pixels, islands[i].pixels, options.negative);
    std::vector<Candidate> candidates = candidates_of(sources, islands[i], its, setting_of(i).beam, known);
    settle(std::make_unique<Work>(
               Work{i, FitLadder(std::move(its), std::move(candidates), setting_of(i), 0,
                                 pixels_of_label(margins, sources[islands[i].first].island, options.negative))}),
           begun[task]);
  });
  Ladders open = joined(std::move(begun), found);
  FitBatch batch;
  const auto climb = [&](Answers& to) {
    while (!open.empty()) {
      tell_refined(open, islands, job);
      Ladders still;
      for (std::size_t k = 0; k < classes.count(); ++k) {
        Ladders its = taken(open, [&](const Work& one) { return classes.of(one.island) == k; });
        Ladders questions = taken(its, [](const Work& one) { return one.ladder.about_noise(); });
        batch.errors = classes.errors(k);
        batch.weights = classes.weights(k);
        std::ranges::move(next_round(backend, std::move(its), batch, pool, to, job), std::back_inserter(still));
        batch.weights = batch.errors;
        std::ranges::move(next_round(backend, std::move(questions), batch, pool, to, job), std::back_inserter(still));
      }
      open = std::move(still);
    }
  };
  climb(found);
  Answers joint(islands.size());
  open = of_parts(sources, islands, pixels, margins, found.results, settings, options.negative);
  climb(joint);
  for (std::size_t i = 0; i < islands.size(); ++i) {
    if (!joint.results[i].empty()) found.results[i] = std::move(joint.results[i]);
    std::ranges::move(joint.attempts[i], std::back_inserter(found.attempts[i]));
  }
  std::vector<SourceRow> rows =
      collect_rows(sources, {islands, pixels, found.results, found.attempts, options.negative, settings}, pool, job);
  if (beam_px_ && std::ranges::any_of(rows, &SourceRow::cut)) leave_out_repeated(*beam_px_, options.seed, rows);
  return rows;
}

void SourceFitter::climb(Backend& backend, FitLadder& ladder, const Covariance& beam, const Job& job) const {
  BeamClasses noise = classes();
  if (beams_.varies()) noise.add(beam);
  FitBatch batch;
  batch.weights = noise.weights(0), batch.errors = noise.errors(0);
  while (!ladder.finished()) {
    batch.lay_out({ladder.question()});
    ladder.ask(batch, batch.problems[0]);
    const FitResults results = backend.fits().fit(batch, job);
    ladder.take(results.problems[0], results.components.data());
  }
}

std::int64_t leave_out_noise_peaks(std::vector<SourceRow>& rows) {
  return static_cast<std::int64_t>(
      std::erase_if(rows, [](const SourceRow& row) { return (row.fit.flag & kFlagNoise) != 0; }));
}

std::string SourceFitter::description() const {
  return fmt::format("Gaussians, weights for {}, errors for {}",
                     beam_px_ && !ordinary_ ? "noise correlated like the beam" : "uncorrelated noise",
                     measured_.pixels > 0 ? fmt::format("the noise's autocorrelation in {} pixels", measured_.pixels)
                     : beam_px_           ? "noise correlated like the beam"
                                          : "uncorrelated noise");
}

}  // namespace reber
