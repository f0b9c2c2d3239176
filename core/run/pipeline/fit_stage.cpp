// SPDX-License-Identifier: BSD-3-Clause
// The noise is measured once, outside the islands of the positive image, and serves both images.
#include "core/run/pipeline/fit_stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "core/base/trace.hpp"
#include "core/measure/fitting/grown_sums.hpp"
#include "core/measure/fitting/island_margin.hpp"
#include "core/measure/fitting/level_errors.hpp"
#include "core/measure/fitting/noise_weights.hpp"
#include "core/measure/fitting/raised_noise.hpp"
#include "core/measure/fitting/shared_heights.hpp"
#include "core/measure/fitting/wide_fits.hpp"
#include "core/run/pipeline/measure_stage.hpp"

namespace reber {
namespace {

std::shared_ptr<const SourceFitter> make_fitter(const FitInputs& in, const Request& request, StageWork& work) {
  const auto fitter = std::make_shared<SourceFitter>(request.fit, in.plane.header, in.plane.beams);
  fitter->measure_noise(work.backend, in.plane.plane, in.plane.background, *in.detected.islands, work.job);
  if (fitter->beam_px() && fitter->noise_measured() &&
      ordinary_weights_are_better(work.backend, *fitter->beam_px(), fitter->weights_noise(), fitter->measured_noise(),
                                  work.job))
    fitter->take_ordinary_weights();
  work.note(fitter->description());
  return fitter;
}

/// Leaves out islands around which there are pixels where nothing was looked for.
///   around: their surroundings;   returns whether there are such
bool leave_out_cut(const SearchedPixels& searched, const MarginRuns& around, const IslandPixels& pixels,
                   std::vector<Surrounding>& wanted) {
  std::set<std::int64_t> cut;
  for (const LabelRuns::Run& run : around.runs.runs)
    if (!searched.hold(run.y, run.x0, run.x1)) cut.insert(around.island[static_cast<std::size_t>(run.label - 1)]);
  return std::erase_if(wanted, [&](const Surrounding& one) { return cut.contains(pixels.label[one.island]); }) > 0;
}

void grow(const FitInputs& in, const IslandPixels& pixels, const Request& request, StageWork& work, Fitted& made) {
  if (!made.fitter->beam_px()) return;
  const trace::Span span("host", "sums around islands");
  const DetectOptions& options = in.detected.islands->options();
  const Covariance& beam = *made.fitter->beam_px();
  ThreadPool pool(request.fit.threads);
  std::optional<trace::Span> part(std::in_place, "host", "what surrounds islands");
  auto wanted = islands_to_grow(made.sums, made.fits, pixels, options, beam);
  MarginRuns runs = surrounding_runs(pixels, wanted, in.plane.plane.shape(), pool);
  if (in.detected.searched && leave_out_cut(*in.detected.searched, runs, pixels, wanted))
    runs = surrounding_runs(pixels, wanted, in.plane.plane.shape(), pool);
  if (wanted.empty()) return;
  const IslandPixels around =
      pixels_of_runs(work.backend, in.plane.plane, in.plane.background, runs, options, work.job);
  const SourceFitter& fitter = *made.fitter;
  part.emplace("host", "wide fits");
  fit_with_surroundings(work.backend, made.sums, made.fits,
                        {pixels, around, options, beam, in.plane.beams, fitter.weights_noise(), fitter.errors_noise(),
                         in.plane.background, pool},
                        work.job);
  part.emplace("host", "shared heights");
  share_heights(made.sums, made.fits, {pixels, around, options, beam, fitter.errors_noise(), pool});
  part.emplace("host", "plain rows");
  grow_plain_rows(made.sums, made.fits, pixels, around, options, beam, fitter.errors_noise(), in.plane.background,
                  pool);
}

}  // namespace

double area_of_noise(const NoiseCorrelation& noise, double beam) {
  constexpr double kLeastPart = 0.25;  // the measured integral is no better
  double sum = 0;
  for (std::int64_t dy = -noise.reach(); dy <= noise.reach(); ++dy)
    for (std::int64_t dx = -noise.reach(); dx <= noise.reach(); ++dx) sum += noise.at(dy, dx);
  return std::clamp(0.5 * sum, kLeastPart * beam, std::max(beam, 0.5 * sum));
}

Fitted run_fit(const FitInputs& in, const Request& request, StageWork& work) {
  Fitted made{in.fitter ? in.fitter : make_fitter(in, request, work), in.sums, {}};
  const IslandMap& islands = *in.detected.islands;
  std::optional<ScaleSources> scales;
  IslandPixels own;
  if (request.scales.any()) {
    scales = measure_scales(in.plane, in.detected, request, work);
    made.sums = scales->sums;
  } else {
    own = work.backend.island_pixels(in.plane.plane, in.plane.background, islands, 1, work.job);
  }
  const IslandPixels& pixels = scales ? scales->inner.pixels : own;
  IslandPixels margins;
  if (made.fitter->ordinary_weights())
    margins = island_margins(work.backend, in.plane.plane, in.plane.background, pixels, islands.options(), work.job);
  {
    const trace::Span span("host", "the ladders of fits");
    made.fits =
        made.fitter->fit(work.backend, made.sums, pixels, islands.options(), *in.detected.known, work.job, margins);
  }
  if (!islands.options().negative)
    take_out_own_sidelobes(in.plane.background.raised, made.sums, made.fits, !made.fitter->ordinary_weights());
  set_level_errors(in.plane.background.levels, made.sums, made.fits);
  if (!scales) grow(in, pixels, request, work, made);
  const bool kept = request.fit.keep_noise_peaks;
  const auto noise =
      kept ? std::ranges::count_if(made.fits, [](const SourceFit& fit) { return (fit.flag & kFlagNoise) != 0; })
           : leave_out_noise_peaks(made.sums, made.fits);
  if (scales) {
    move_outward(made.sums, scales->inner, scales->outer, islands.options());
    add_scale_rows(made.sums, made.fits, scales->outer, islands.options(),
                   area_of_noise(made.fitter->errors_noise(), area_of_beam(in.plane)), in.detected.waves);
  }
  if (noise > 0) {
    const std::string text = fmt::format("{} {}", noise, kept ? "kept, flagged" : "left out");
    const std::string name = islands.options().negative ? "noise peaks, negative" : "noise peaks";
    work.fact(name, text);
    work.note(fmt::format("{}: {}", name, text));
  }
  const auto fitted = std::ranges::count_if(made.fits, [](const SourceFit& fit) { return fit.gaussian.has_value(); });
  work.algorithm = fmt::format("{} of {} sources; {}", fitted, made.sums.size(), made.fitter->description());
  return made;
}

}  // namespace reber
