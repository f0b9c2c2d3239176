// SPDX-License-Identifier: BSD-3-Clause
// The noise is measured once, outside the islands of the positive image, and serves both images.
#include "core/run/pipeline/fit_stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "core/base/trace.hpp"
#include "core/measure/fitting/grown_sums.hpp"
#include "core/measure/fitting/island_margin.hpp"
#include "core/measure/fitting/joined_pieces.hpp"
#include "core/measure/fitting/noise_weights.hpp"
#include "core/measure/fitting/refinements.hpp"
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

}  // namespace

double area_of_noise(const NoiseCorrelation& noise, double beam) {
  constexpr double kLeastPart = 0.25;  // the measured integral is no better
  double sum = 0;
  for (std::int64_t dy = -noise.reach(); dy <= noise.reach(); ++dy)
    for (std::int64_t dx = -noise.reach(); dx <= noise.reach(); ++dx) sum += noise.at(dy, dx);
  return std::clamp(0.5 * sum, kLeastPart * beam, std::max(beam, 0.5 * sum));
}

Fitted run_fit(const FitInputs& in, const Request& request, StageWork& work) {
  Fitted made{in.fitter ? in.fitter : make_fitter(in, request, work), {}};
  const SourceFitter& fitter = *made.fitter;
  const IslandMap& islands = *in.detected.islands;
  const Plane& plane = in.plane.plane;
  const BackgroundModel& background = in.plane.background;
  std::optional<ScaleSources> scales;
  IslandPixels own;
  if (request.scales.any())
    scales = measure_scales(in.plane, in.detected, request, work);
  else
    own = work.backend.island_pixels(plane, background, islands, 1, work.job);
  const IslandPixels& pixels = scales ? scales->inner.pixels : own;
  IslandPixels margins;
  if (fitter.ordinary_weights())
    margins = island_margins(work.backend, plane, background, pixels, islands.options(), work.job);
  {
    const trace::Span span("host", "the ladders of fits");
    made.rows = fitter.fit(work.backend, scales ? scales->sources : in.sources, pixels, islands.options(),
                           *in.detected.known, work.job, margins);
  }
  ThreadPool pool(request.fit.threads);
  using Islands = Refining::Islands;
  const auto refining = [&](const IslandPixels& of, Islands which) {
    return Refining{work.backend,
                    plane,
                    background,
                    of,
                    islands.options(),
                    fitter,
                    in.plane.beams,
                    *in.detected.known,
                    in.detected.searched.get(),
                    which,
                    pool,
                    work.job};
  };
  Refining own_islands = refining(pixels, scales ? Islands::inside_scales : Islands::image);
  join_pieces(made.rows, own_islands);
  refine_rows(made.rows, own_islands);
  const bool kept = request.fit.keep_noise_peaks;
  const auto noise =
      kept ? std::ranges::count_if(made.rows, [](const SourceRow& row) { return (row.fit.flag & kFlagNoise) != 0; })
           : leave_out_noise_peaks(made.rows);
  if (scales) {
    move_outward(made.rows, scales->inner, scales->outer, islands.options());
    Refining whole = refining(scales->outer, Islands::scales);
    look_around(by_island(made.rows), whole);
    const std::function<bool(const SourceRow&)> is_sum = [&](const SourceRow& row) {
      return fitter.beam_px() && keeps_plain_sums(row, islands.options(), *fitter.beam_px());
    };
    const FittedRows rows{*whole.around, is_sum};
    add_scale_rows(made.rows, scales->outer, islands.options(),
                   area_of_noise(fitter.errors_noise(), area_of_beam(in.plane)), in.detected.waves, &rows);
    whole.around.reset();
    refine_rows(made.rows, whole);
  }
  if (noise > 0) {
    const std::string text = fmt::format("{} {}", noise, kept ? "kept, flagged" : "left out");
    const std::string name = islands.options().negative ? "noise peaks, negative" : "noise peaks";
    work.fact(name, text);
    work.note(fmt::format("{}: {}", name, text));
  }
  const auto fitted =
      std::ranges::count_if(made.rows, [](const SourceRow& row) { return row.fit.gaussian.has_value(); });
  work.algorithm = fmt::format("{} of {} sources; {}", fitted, made.rows.size(), fitter.description());
  return made;
}

}  // namespace reber
