// SPDX-License-Identifier: BSD-3-Clause
// A trial row for each island, fitted as wide sources are; those that a Gaussian describes take their rows' place.
#include "core/measure/fitting/joined_pieces.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/trace.hpp"
#include "core/measure/fitting/grown_sums.hpp"
#include "core/measure/fitting/wide_fits.hpp"
#include "core/measure/sources/fit_ladder.hpp"
#include "core/measure/sources/fit_parts.hpp"
#include "core/measure/sources/fit_rest.hpp"
#include "core/measure/sources/scale_islands.hpp"
#include "core/seam/compute/island_moments.hpp"

namespace reber {
namespace {

/// The island as one row that no fit describes; its first row tells the rest. Nothing where its pixels are not known.
std::optional<SourceRow> whole_of(IslandRows island, const Refining& in) {
  const auto at = std::ranges::lower_bound(in.pixels.label, island.front().island);
  if (at == in.pixels.label.end() || *at != island.front().island) return std::nullopt;
  SourceRow whole = island.front();
  whole.sums = sums_of(in.pixels, static_cast<std::size_t>(at - in.pixels.label.begin()), in.options.negative);
  whole.shared = false;
  whole.fit = {{}, kFlagNotFitted};
  whole.whole_npix = 0, whole.whole_s = 0;
  return whole;
}

/// The Gaussian that describes a trial, whether it became the row's fit or gave a sum its place, shape and height.
std::optional<FittedGaussian> gaussian_of(const SourceRow& trial) {
  if (trial.fit.gaussian) return trial.fit.gaussian;
  if (!trial.errors || !(trial.errors->peak > 0)) return std::nullopt;
  const IslandSums& sums = trial.sums;
  const double dx = sums.sx / sums.s, dy = sums.sy / sums.s;
  const Covariance moments = moments_of(sums, dx, dy);
  FittedGaussian made;
  made.component = {trial.errors->peak,
                    sums.first_x + dx,
                    sums.first_y + dy,
                    {kFwhm2PerVariance * moments.xx, kFwhm2PerVariance * moments.xy, kFwhm2PerVariance * moments.yy}};
  return made;
}

/// Whether a Gaussian describes the island and leaves no peak that a ladder of fits would add a component for.
bool describes(const SourceRow& trial, const Refining& in) {
  const std::optional<FittedGaussian> made = gaussian_of(trial);
  if (!made) return false;
  const FitPixels pixels = pixels_of_label(in.pixels, trial.island, in.options.negative);
  for (std::size_t i = 0; i < pixels.value.size(); ++i)
    if (!(pixels.value[i] - value_of({*made}, pixels.x[i], pixels.y[i]) <= kLeastResidual * pixels.rms[i]))
      return false;
  return true;
}

}  // namespace

bool are_pieces(std::span<const SourceRow> island, const DetectOptions& options, const Covariance& beam) {
  constexpr std::int64_t kOthers = kFlagCore | kFlagRest;
  return island.size() > 1 &&
         std::ranges::all_of(island,
                             [](const SourceRow& row) {
                               return !row.cut && (row.fit.flag & kOthers) == 0 &&
                                      (!row.fit.gaussian || (row.fit.flag & kFlagPart) != 0);
                             }) &&
         std::ranges::any_of(island, [&](const SourceRow& row) { return keeps_plain_sums(row, options, beam); });
}

void join_pieces(std::vector<SourceRow>& rows, const Refining& in) {
  if (!in.fitter.beam_px()) return;
  std::vector<SourceRow> trials;
  for (const IslandRows& island : by_island(rows))
    if (are_pieces(island, in.options, *in.fitter.beam_px()))
      if (auto whole = whole_of(island, in)) trials.push_back(std::move(*whole));
  if (trials.empty()) return;
  const trace::Span span("host", "pieces of one source");
  const std::vector<SourceRow> wholes = trials;
  Refining around = in;
  std::vector<IslandRows> islands = by_island(trials);
  look_around(islands, around);
  const WideFitInputs inputs = wide_inputs(around);
  std::erase_if(islands, [&](const IslandRows& one) { return !has_wide_fit(one, inputs); });
  if (islands.empty()) return;
  fit_with_surroundings(in.backend, islands, inputs, in.job);
  std::vector<SourceRow> kept;
  std::size_t next = 0;
  for (const IslandRows& island : by_island(rows)) {
    while (next < trials.size() && trials[next].island < island.front().island) ++next;
    const bool tried = next < trials.size() && trials[next].island == island.front().island;
    if (tried && describes(trials[next], in))
      kept.push_back(wholes[next]);
    else
      std::ranges::move(island, std::back_inserter(kept));
  }
  rows = std::move(kept);
}

}  // namespace reber
