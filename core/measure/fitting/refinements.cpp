// SPDX-License-Identifier: BSD-3-Clause
// The table, and how a row comes to know what changed it.
#include "core/measure/fitting/refinements.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "core/base/trace.hpp"
#include "core/measure/fitting/grown_sums.hpp"
#include "core/measure/fitting/level_errors.hpp"
#include "core/measure/fitting/raised_noise.hpp"
#include "core/measure/fitting/shared_heights.hpp"
#include "core/measure/sources/cut_errors.hpp"

namespace reber {
namespace {

bool any_gaussian(std::span<const SourceRow> island) {
  return std::ranges::any_of(island, [](const SourceRow& row) { return row.fit.gaussian.has_value(); });
}

bool is_surrounded(std::span<const SourceRow> island, const Refining& in) {
  return in.around && std::ranges::binary_search(in.around->label, island.front().island);
}

HeldAgainst held_inputs(const Refining& in) {
  return {in.pixels, *in.around, in.options, *in.fitter.beam_px(), in.fitter.errors_noise(), in.pool};
}

using Looks = Refinement::Looks;

constexpr Refinement kTable[] = {
    {"missing pixels",
     "the error of a cut row without a fit whose peak is beside a missing pixel holds what may lie there",
     Looks::at_rows,
     [](std::span<const SourceRow> island, const Refining&) {
       return std::ranges::any_of(island, [](const SourceRow& row) { return row.cut && !row.fit.gaussian; });
     },
     [](std::span<const IslandRows>, Refining& in) { doubt_unfitted(in.rows, in.known); }},
    {"own sidelobes", "errors of a bright source are for the noise without its own sidelobes", Looks::at_rows,
     [](std::span<const SourceRow> island, const Refining& in) {
       return !in.options.negative && !in.background.raised.empty() && any_gaussian(island);
     },
     [](std::span<const IslandRows>, Refining& in) {
       take_out_own_sidelobes(in.background.raised, in.rows, !in.fitter.ordinary_weights());
     }},
    {"local level", "the error of a level under compact sources goes into the errors of their fluxes", Looks::at_rows,
     [](std::span<const SourceRow> island, const Refining& in) {
       return !in.background.levels.empty() && any_gaussian(island);
     },
     [](std::span<const IslandRows>, Refining& in) { set_level_errors(in.background.levels, in.rows); }},
    {"wide fit", "a single wide source is fitted with the pixels around its island, or keeps their sum", Looks::around,
     [](std::span<const SourceRow> island, const Refining& in) {
       return is_surrounded(island, in) && has_wide_fit(island, wide_inputs(in));
     },
     [](std::span<const IslandRows> islands, Refining& in) {
       fit_with_surroundings(in.backend, islands, wide_inputs(in), in.job);
     }},
    {"held to the pixels", "Gaussians of an island with wide ones hold what its pixels and those around it hold",
     Looks::around,
     [](std::span<const SourceRow> island, const Refining& in) {
       return is_surrounded(island, in) && are_wide_fits(island, *in.fitter.beam_px());
     },
     [](std::span<const IslandRows> islands, Refining& in) { share_heights(islands, held_inputs(in)); }},
    {"grown sum", "a sum of pixels takes in what surrounds the island", Looks::around_sums,
     [](std::span<const SourceRow> island, const Refining& in) {
       return is_surrounded(island, in) && std::ranges::any_of(island, [&](const SourceRow& row) {
                return keeps_plain_sums(row, in.options, *in.fitter.beam_px());
              });
     },
     [](std::span<const IslandRows> islands, Refining& in) {
       grow_plain_rows(islands, held_inputs(in), in.background);
     }},
};

/// Leaves out islands around which there are pixels where nothing was looked
/// for.
///   around: their surroundings;   returns whether there are such
bool leave_out_cut(const SearchedPixels& searched, const MarginRuns& around, const IslandPixels& pixels,
                   std::vector<Surrounding>& wanted) {
  std::set<std::int64_t> cut;
  for (const LabelRuns::Run& run : around.runs.runs)
    if (!searched.hold(run.y, run.x0, run.x1)) cut.insert(around.island[static_cast<std::size_t>(run.label - 1)]);
  return std::erase_if(wanted, [&](const Surrounding& one) { return cut.contains(pixels.label[one.island]); }) > 0;
}

bool same(const std::optional<FittedGaussian>& a, const std::optional<FittedGaussian>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  const Covariance &p = a->component.fwhm2, &q = b->component.fwhm2;
  return a->component.peak == b->component.peak && a->component.x == b->component.x &&
         a->component.y == b->component.y && p.xx == q.xx && p.xy == q.xy && p.yy == q.yy &&
         a->covariance == b->covariance;
}

/// Of all that refinements change.
bool same(const SourceRow& a, const SourceRow& b) {
  const SourceFit &f = a.fit, &g = b.fit;
  const IslandSums &s = a.sums, &t = b.sums;
  return f.flag == g.flag && f.quiet == g.quiet && f.quiet_peak == g.quiet_peak && f.level_error == g.level_error &&
         f.unsure == g.unsure && same(f.gaussian, g.gaussian) && s.s == t.s && s.sx == t.sx && s.sy == t.sy &&
         s.sxx == t.sxx && s.sxy == t.sxy && s.syy == t.syy && a.errors.has_value() == b.errors.has_value() &&
         (!a.errors || a.errors->s == b.errors->s);
}

/// Copies without their stories.
std::vector<SourceRow> copies_of(std::span<const IslandRows> islands) {
  std::vector<SourceRow> copies;
  for (const IslandRows& island : islands)
    for (SourceRow& row : island) {
      RowStory story = std::exchange(row.story, {});
      copies.push_back(row);
      row.story = std::move(story);
    }
  return copies;
}

}  // namespace

WideFitInputs wide_inputs(const Refining& in) {
  return {in.pixels,
          *in.around,
          in.options,
          *in.fitter.beam_px(),
          in.beams,
          in.fitter.weights_noise(),
          in.fitter.errors_noise(),
          in.background,
          in.pool};
}

std::span<const Refinement> refinements() { return kTable; }

void look_around(std::span<const IslandRows> islands, Refining& in) {
  in.around.emplace();
  if (!in.fitter.beam_px()) return;
  const trace::Span span("host", "what surrounds islands");
  auto wanted = islands_to_grow(islands, in.pixels, in.options, *in.fitter.beam_px());
  MarginRuns runs = surrounding_runs(in.pixels, wanted, in.plane.shape(), in.pool);
  if (in.searched != nullptr && leave_out_cut(*in.searched, runs, in.pixels, wanted))
    runs = surrounding_runs(in.pixels, wanted, in.plane.shape(), in.pool);
  if (!wanted.empty()) in.around = pixels_of_runs(in.backend, in.plane, in.background, runs, in.options, in.job);
}

void refine_rows(std::span<SourceRow> rows, Refining& in) {
  in.rows = rows;
  const std::vector<IslandRows> islands = by_island(rows);
  for (std::size_t number = 0; number < refinements().size(); ++number) {
    const Refinement& one = refinements()[number];
    const bool sums = one.looks == Looks::around_sums;
    if (in.islands == (sums ? Refining::Islands::inside_scales : Refining::Islands::scales)) continue;
    if (one.looks != Looks::at_rows && !in.around) look_around(islands, in);
    std::vector<IslandRows> its;
    std::ranges::copy_if(islands, std::back_inserter(its),
                         [&](const IslandRows& island) { return one.applies(island, in); });
    if (its.empty()) continue;
    const trace::Span span("host", std::string(one.name));
    std::vector<SourceRow> before = copies_of(its);
    one.refine(its, in);
    std::size_t k = 0;
    for (const IslandRows& island : its)
      for (SourceRow& row : island) {
        SourceRow& was = before[k++];
        if (!same(was, row)) row.story.changes.push_back({number, std::make_shared<const SourceRow>(std::move(was))});
      }
  }
}

}  // namespace reber
