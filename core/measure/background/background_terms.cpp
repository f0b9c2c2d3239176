// SPDX-License-Identifier: BSD-3-Clause
// The table of terms and the passes; what they do is arithmetic on tables of cells and nodes.
#include "core/measure/background/background_terms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <utility>

#include "core/base/trace.hpp"
#include "core/measure/background/cell_slopes.hpp"
#include "core/measure/background/cell_surface.hpp"
#include "core/measure/background/local_levels.hpp"
#include "core/measure/background/ring_noise.hpp"

namespace reber {
namespace {

using Asked = BackgroundTerm::Asked;

const char* plural(std::size_t count) { return count == 1 ? "" : "s"; }

void filter_cells(Measuring& m) {
  const trace::Span span("host", "filter the cells");
  m.model = finish_mesh(m.grid(), m.cells(), m.options());
}

void blend_fine_cells(Measuring& m) {
  if (!m.setup.fine) return;
  if (m.pass == 0) {
    m.bright = m.image.sources(m.model, m.setup.bright_sigma);
    m.words.emplace_back("adaptive");
  }
  if (m.bright.empty()) return;
  auto fine = with_fine_cells(*m.pixels, m.model, *m.setup.fine, m.bright, m.options());
  if (fine) m.model = std::move(*fine);
}

void raise_about_sources(Measuring& m) {
  if (!m.setup.beam_px) return;
  std::vector<BrightSource> sidelobes;
  if (m.setup.passes < 2)
    sidelobes = m.image.sources(m.model, m.setup.bright_sigma);
  else
    std::ranges::copy_if(m.sources, std::back_inserter(sidelobes),
                         [&](const BrightSource& one) { return one.snr > m.setup.bright_sigma; });
  if (sidelobes.empty()) return;
  const trace::Span span("host", "noise around bright sources");
  const auto rings = measure_rings(m.image, m.model, std::move(sidelobes), *m.setup.beam_px);
  if (rings.empty()) return;
  m.words.push_back(fmt::format("raised by the sidelobes of {} source{} above {:g} sigma", rings.size(),
                                plural(rings.size()), m.setup.bright_sigma));
  m.model = with_rings(m.model, rings, *m.setup.beam_px);
}

void add_levels(Measuring& m) {
  if (!m.setup.levels || !m.setup.beam_px || m.sources.empty()) return;
  const trace::Span span("host", "levels about sources");
  auto levels = measure_levels(m.image, m.model, m.sources, *m.setup.beam_px);
  if (levels.empty()) return;
  m.words.push_back(fmt::format("levels about {} compact source{}", levels.size(), plural(levels.size())));
  BackgroundModel with = with_levels(m.model, std::move(levels), *m.setup.beam_px);
  m.even = std::exchange(m.model, std::move(with));
}

constexpr BackgroundTerm kTable[] = {
    {"waves", "a level that rises and falls over a few cells is taken out of the pixels that cells measure",
     Asked::every_pass, follow_waves},
    {"trend of the noise", "noise that rises and falls over a few cells divides the pixels that cells measure",
     Asked::every_pass, follow_noise},
    {"slopes", "what a slope across a cell adds to its noise is taken out", Asked::every_pass,
     [](Measuring& m) { m.cells() = without_slopes(m.grid(), std::move(m.cells())); }},
    {"cells of few beams", "the noise of small cells about a trend, which reads low, is raised", Asked::every_pass,
     correct_few_beams},
    {"filter", "cells without enough pixels take their neighbours' values; a median filter over all", Asked::every_pass,
     filter_cells},
    {"rim", "a slope goes on beyond the centres of the outermost cells", Asked::every_pass,
     [](Measuring& m) {
       if (!m.trends.noise) m.model = carried_to_rim(std::move(m.model));
     }},
    {"trends put back", "waves and the trend of the noise, on nodes that are near enough for them", Asked::every_pass,
     put_trends_back},
    {"fine cells", "smaller cells near bright sources, where they are asked for", Asked::every_pass, blend_fine_cells},
    {"rings", "noise about bright sources is raised by their sidelobes", Asked::last, raise_about_sources},
    {"levels", "bowls and haloes under compact sources are added to the mean", Asked::last, add_levels},
};

/// What is labelled after the first cells of a plane are measured; empty where others are measured in between.
std::optional<DetectOptions> after_first(const BackgroundSetup& setup) {
  if (setup.fine) return std::nullopt;
  if (setup.passes < 2) return setup.beam_px ? masked_islands(setup.bright_sigma) : setup.next;
  return masked_islands();
}

/// The terms of one pass.   returns false where no cell is usable
bool measure_pass(Measuring& m) {
  m.known.reset();
  for (const BackgroundTerm& term : kTable) {
    if (term.asked != Asked::every_pass) continue;
    if (m.known && std::ranges::none_of(m.known->rms, [](float rms) { return std::isfinite(rms); })) return false;
    term.apply(m);
  }
  return true;
}

/// Tells the backend what is labelled once the next cells are measured.
void tell_next(const Measuring& m, const std::optional<DetectOptions>& next) {
  const bool whole = m.setup.grid.part().shape() == m.image.plane.shape();
  if (whole && next) m.image.backend.will_label(m.image.plane, *next);
}

/// One pass on the image without these islands.   returns false where no cell is usable
bool measure_without(Measuring& m, const IslandMap& islands) {
  const BackgroundSetup& setup = m.setup;
  const auto& [backend, plane, job] = m.image;
  const std::int64_t grow = setup.beam_px ? static_cast<std::int64_t>(std::ceil(0.5 * *setup.beam_px)) : 2;
  const auto masked = backend.derive(WithoutIslands{plane, islands, grow}, job);
  const BackgroundPixels rest{backend, *masked, job};
  m.pixels = &rest;
  if (!setup.fine) tell_next(m, m.pass + 1 < setup.passes ? masked_islands() : setup.next);
  const bool usable = measure_pass(m);
  m.pixels = &m.image;
  return usable;
}

}  // namespace

std::span<const BackgroundTerm> background_terms() { return kTable; }

MeshOptions Measuring::options() const {
  MeshOptions options = setup.options;
  if (pass > 0) options.centre = 1;
  if (trends.noise) options.filter = trends.filter;
  return options;
}

MeshCells Measuring::measured(const MeshGrid& cells_of, const CellTrends& without) const {
  const auto& [backend, plane, job] = *pixels;
  if (without.none()) return backend.mesh(plane, cells_of, options(), job);
  const BackgroundModel about = model_of(without, cells_of);
  return backend.mesh(*backend.derive(SnrPlane{plane, about}, job), cells_of, options(), job);
}

MeshCells& Measuring::cells() {
  if (!known) known = measured(grid(), trends);
  return *known;
}

bool measure_passes(Measuring& m) {
  const BackgroundSetup& setup = m.setup;
  const auto& [backend, plane, job] = m.image;
  tell_next(m, after_first(setup));
  if (!measure_pass(m)) return false;
  for (m.pass = 1; m.pass < setup.passes; ++m.pass) {
    MaskedIslands islands{backend.label(plane, m.model, masked_islands(), job), {}};
    if (setup.beam_px) islands.sums = backend.measure(plane, m.model, *islands.map, job);
    m.sources = brighter_than(0, islands.sums);
    if (!measure_without(m, *islands.map)) break;
    if (m.pass + 1 < setup.passes || !setup.beam_px || !setup.surroundings) continue;
    const GrownIslands grown = setup.surroundings(m.model, islands);
    if (grown) m.words.emplace_back("without what surrounds wide islands");
    // Each round lowers the mean, above which the next one sees more.
    for (int round = 0; grown && round < kTrendRounds; ++round)
      if (!measure_without(m, *grown(m.model))) break;
  }
  for (const BackgroundTerm& term : kTable)
    if (term.asked == Asked::last) term.apply(m);
  return true;
}

}  // namespace reber
