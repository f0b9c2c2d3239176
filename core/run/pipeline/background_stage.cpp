// SPDX-License-Identifier: BSD-3-Clause
// The passes of the background and the blending of two scales; everything here is host arithmetic on cells.
#include "core/run/pipeline/background_stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/trace.hpp"
#include "core/files/fits/given_map.hpp"
#include "core/measure/background/cell_trends.hpp"
#include "core/measure/background/fine_cells.hpp"
#include "core/measure/background/local_levels.hpp"
#include "core/measure/background/measured_part.hpp"
#include "core/measure/background/mesh_nodes.hpp"
#include "core/measure/background/ring_noise.hpp"
#include "core/run/pipeline/mesh_maps.hpp"
#include "core/run/pipeline/read_stage.hpp"
#include "core/run/request/map_choice.hpp"
#include "core/sky/model/value_words.hpp"

namespace reber {
namespace {

/// Islands that a pass leaves out. Fixed, so that the background does not depend on the thresholds of detection.
const DetectOptions kMasked{5, 3, 1, Connectivity::eight, false};

/// Sources whose sidelobes can pass for sources: calibration and cleaning leave a hundredth of a source at most.
constexpr double kSidelobes = 500;

/// Of islands, those with a peak above so many rms.
std::vector<BrightSource> brighter_than(double limit, const std::vector<IslandSums>& islands) {
  std::vector<BrightSource> sources;
  for (const IslandSums& island : islands)
    if (const double snr = (static_cast<double>(island.peak) - island.peak_mean) / island.peak_rms; snr > limit)
      sources.push_back({static_cast<double>(island.peak_y), static_cast<double>(island.peak_x), snr, island.npix});
  return sources;
}

/// Sources of a model above so many rms, in raster order of their islands.
std::vector<BrightSource> bright_sources(Backend& backend, const Plane& plane, const BackgroundModel& model,
                                         double limit, const Job& job) {
  DetectOptions options = kMasked;
  options.seed = static_cast<float>(limit);
  const auto islands = backend.label(plane, model, options, job);
  return brighter_than(limit, backend.measure(plane, model, *islands, job));
}

/// The grids of a measurement: one, or two where it is adaptive.
struct Grids {
  MeshGrid coarse;
  std::optional<FineCells> fine;
  std::int64_t least_side = 0;  ///< of cells that may look for waves of the background; 0: the coarse ones alone
  bool whole = true;            ///< whether they cover the image
};

/// The model of the coarse cells with the fine ones blended in near bright sources, where there are any.
BackgroundModel blended(Backend& backend, const Plane& plane, BackgroundModel coarse, const Grids& grids,
                        const MeshOptions& options, const std::vector<BrightSource>& bright, const Job& job) {
  if (!grids.fine || bright.empty()) return coarse;
  std::optional<BackgroundModel> fine = with_fine_cells(backend, plane, coarse, *grids.fine, bright, options, job);
  return fine ? std::move(*fine) : std::move(coarse);
}

/// Tells the backend what will be looked for in the plane once the next cells are measured.
void foretell(Backend& backend, const Plane& plane, const std::optional<DetectOptions>& next) {
  if (next) backend.will_label(plane, *next);
}

/// What is labelled after the first cells of a plane are measured; empty where others are measured in between.
std::optional<DetectOptions> after_first(const BackgroundRequest& request, bool fine, bool beam, double limit,
                                         const std::optional<DetectOptions>& next) {
  if (fine) return std::nullopt;
  DetectOptions options = kMasked;
  if (request.passes < 2 && !beam) return next;
  if (request.passes < 2) options.seed = static_cast<float>(limit);
  return options;
}

/// What the passes made.
struct Passes {
  std::optional<BackgroundModel> model;
  std::size_t ringed = 0;                  ///< sources around which the noise was raised
  CellTrends trends = {};                  ///< what the cells were measured without
  std::vector<BrightSource> sources = {};  ///< islands that the last pass left out, where the beam is known
};

/// Sides of smaller cells that waves of the background may be looked for in.
std::int64_t least_wave_side(std::optional<double> beam_px) {
  constexpr double kBeams = 5;
  constexpr std::int64_t kLeast = 24;
  return beam_px ? std::max(kLeast, whole_beams(kBeams, *beam_px)) : kLeast;
}

Passes all_passes(Backend& backend, const Plane& plane, const Grids& grids, const BackgroundRequest& request,
                  std::optional<double> beam_px, const Job& job, const std::optional<DetectOptions>& next) {
  const auto grow = beam_px ? static_cast<std::int64_t>(std::ceil(0.5 * *beam_px)) : 2;
  const double limit = request.adaptive ? request.bright_sigma : kSidelobes;
  MeshOptions options = request.mesh;
  std::vector<BrightSource> bright, brightest, all;
  if (grids.whole)
    foretell(backend, plane, after_first(request, grids.fine.has_value(), beam_px.has_value(), limit, next));
  CellTrends trends;  // with smaller cells none: they follow by themselves
  std::optional<BackgroundModel> model =
      grids.fine ? measure_cells(backend, plane, grids.coarse, options, trends, job)
                 : first_cells(backend, plane, grids.coarse, options, grids.least_side, trends, job);
  if (model && grids.fine) {
    bright = bright_sources(backend, plane, *model, request.bright_sigma, job);
    model = blended(backend, plane, std::move(*model), grids, options, bright, job);
  }
  if (model && beam_px && request.passes < 2) brightest = bright_sources(backend, plane, *model, limit, job);
  options.centre = 1;
  for (int pass = 1; pass < request.passes && model; ++pass) {
    const auto islands = backend.label(plane, *model, kMasked, job);
    if (beam_px) all = brighter_than(0, backend.measure(plane, *model, *islands, job));
    const auto masked = backend.derive(WithoutIslands{plane, *islands, grow}, job);
    if (!grids.fine && grids.whole) foretell(backend, plane, pass + 1 < request.passes ? kMasked : next);
    refit_levels(backend, *masked, options, trends, job);
    std::optional<BackgroundModel> better = measure_cells(backend, *masked, grids.coarse, options, trends, job);
    if (!better) break;
    model = blended(backend, *masked, std::move(*better), grids, options, bright, job);
  }
  if (request.passes > 1)
    std::ranges::copy_if(all, std::back_inserter(brightest), [&](const BrightSource& one) { return one.snr > limit; });
  if (brightest.empty()) return {std::move(model), 0, std::move(trends), std::move(all)};
  const trace::Span span("host", "noise around bright sources");
  const std::vector<RingNoise> rings = measure_rings(backend, plane, *model, std::move(brightest), *beam_px, job);
  if (!rings.empty()) model = with_rings(*model, rings, *beam_px);
  return {std::move(model), rings.size(), std::move(trends), std::move(all)};
}

MeasuredBackground measure_clip(Backend& backend, const Plane& plane, const BackgroundRequest& request,
                                const Job& job) {
  const ClipStatistics clip = backend.clip(plane, request.mesh.clip, job);
  const double rms = clip.std / clip_bias(request.mesh.clip.kappa);
  const bool known = clip.kept > 0;
  return {
      BackgroundModel::constant(plane.shape(), known ? static_cast<float>(clip.median) : 0.0f,
                                known ? static_cast<float>(rms) : 0.0f),
      fmt::format("global {:g}-sigma clip, {} rounds, {} pixels kept", request.mesh.clip.kappa, clip.rounds, clip.kept),
      "",
      {}};
}

}  // namespace

MeasuredBackground measure_background(Backend& backend, const Plane& plane, const BackgroundRequest& request,
                                      std::optional<double> beam_px, const Job& job,
                                      const std::optional<DetectOptions>& next) {
  if (request.method == BackgroundRequest::Method::clip) return measure_clip(backend, plane, request, job);
  const Rect part = measured_part(backend, plane, job);
  const BoxChoice choice = choose_boxes(request, part.shape(), beam_px);
  const MeshGrid coarse = MeshGrid::sliding(plane.shape(), part, choice.box, choice.step);
  MeasuredBackground result{{}, "", choice.reason, {}};
  Grids grids{coarse, std::nullopt, request.box > 0 ? 0 : least_wave_side(beam_px), part.shape() == plane.shape()};
  if (request.adaptive) {
    const std::int64_t usual =
        std::max<std::int64_t>(choice.box / 3, beam_px ? whole_beams(kLeastBoxBeams, *beam_px) : 16);
    const std::int64_t fine = request.bright_box > 0 ? request.bright_box : usual;
    const std::int64_t step =
        request.bright_step > 0 ? request.bright_step : std::max<std::int64_t>(fine * choice.step / choice.box, 1);
    if (step > fine || (request.bright_box > 0 && fine >= choice.box))
      throw InputError(
          fmt::format("boxes of {} px every {} px near bright sources: they must be smaller than the others, "
                      "of {} px, and step by no more than their side",
                      fine, step, choice.box));
    if (fine < choice.box) {
      grids.fine = {MeshGrid::sliding(plane.shape(), part, fine, step), static_cast<double>(fine),
                    static_cast<double>(fine + choice.box)};
      result.boxes += fmt::format("; {} px near sources above {:g} sigma", fine, request.bright_sigma);
    } else {
      result.boxes += "; no smaller boxes near bright sources: they would hold fewer than 10 beams";
    }
  }
  auto [model, ringed, trends, sources] = all_passes(backend, plane, grids, request, beam_px, job, next);
  if (!model) result.warnings.push_back("no cell of the background mesh holds enough finite pixels");
  result.model = model ? std::move(*model) : BackgroundModel::constant(plane.shape(), 0, 0);
  result.sources = std::move(sources);
  const bool sliding = request.method == BackgroundRequest::Method::grid;
  result.what =
      fmt::format("{} of {} x {} {} of {} px{}, {:g}-sigma clip, {}x{} median filter, {}", sliding ? "grid" : "mesh",
                  coarse.nx(), coarse.ny(), sliding ? "boxes" : "cells", choice.box,
                  sliding ? fmt::format(" every {} px", choice.step) : "", request.mesh.clip.kappa, request.mesh.filter,
                  request.mesh.filter, request.passes > 1 ? fmt::format("{} passes", request.passes) : "one pass");
  if (grids.fine) result.what += ", adaptive";
  if (trends.noise) result.what += ", about a trend of the noise";
  if (!trends.levels.empty())
    result.what += fmt::format(", about waves of the background in cells of {} px",
                               trends.levels.back().cells.rows.front().size());
  if (ringed > 0)
    result.what += fmt::format(", raised by the sidelobes of {} source{} above {:g} sigma", ringed,
                               ringed == 1 ? "" : "s", request.adaptive ? request.bright_sigma : kSidelobes);
  return result;
}

std::optional<DetectOptions> labelled_next(const Request& request) {
  const bool otherwise = request.scales.any() || request.search.any() || request.fdr > 0 ||
                         !request.background->mean_path.empty() || !request.background->rms_path.empty();
  return otherwise ? std::nullopt : request.detect;
}

std::string check_rms_map(Backend& backend, const Plane& map, const std::string& path, const Job& job) {
  const PlaneStatistics statistics = backend.statistics(map, StatisticsParts::all, job);
  if (!(statistics.max > 0))
    throw DataError(
        fmt::format("{}: no pixel of this rms map is above zero; a map of the noise, in the image's unit, "
                    "is expected",
                    path));
  if (statistics.blank == 0 && statistics.min > 0) return {};
  std::int64_t bad = statistics.blank;
  if (!(statistics.min > 0)) {
    bad = 0;
    const Shape shape = map.shape();
    std::vector<float> row(static_cast<std::size_t>(shape.nx));
    for (std::int64_t y = 0; y < shape.ny; ++y) {
      backend.render_rows(MapKind::image, map, nullptr, y, 1, row.data(), job);
      bad += std::ranges::count_if(row, [](float rms) { return !(rms > 0); });
    }
  }
  return fmt::format("{}: {} pixels of the rms map are blank, zero or negative; no source is looked for there", path,
                     bad);
}

namespace {

/// A map as its file holds it: at every pixel, or at nodes.
struct LoadedMap {
  std::shared_ptr<const Plane> plane;
  std::optional<MeshMap> nodes;
};

LoadedMap load_map(const BackgroundInputs& in, const std::string& path, const char* what, StageWork& work) {
  GivenMap given = open_given_map(path, what, in.header, work.job.progress());
  for (std::string& warning : given.warnings) work.warn(std::move(warning));
  for (std::string& note : given.notes) work.note(std::move(note));
  if (given.nodes) return {nullptr, std::move(given.nodes)};
  return {load_or_stream(*given.file, in.tiling, work, given.factor), std::nullopt};
}

/// Nodes that the model has take their values; others are drawn at every pixel.
void put(LoadedMap& given, const BackgroundInputs& in, const MeshGrid& grid, std::vector<float>& values,
         std::shared_ptr<const Plane>& map, StageWork& work) {
  if (!given.nodes)
    map = std::move(given.plane);
  else if (same_nodes(grid, *given.nodes))
    values = std::move(given.nodes->values);
  else
    map = expanded(work.backend, *given.nodes, in.plane, in.tiling, work.job);
}

/// One value for all pixels, where a map is not what was given: a number, or what the clip leaves.
std::optional<double> one_value(const BackgroundInputs& in, const MapChoice& choice, const BackgroundRequest& request,
                                bool noise, StageWork& work) {
  using Kind = MapChoice::Kind;
  if (choice.kind == Kind::measured || choice.kind == Kind::map) return std::nullopt;
  double value = choice.value;
  if (choice.kind == Kind::clipped) {
    const ClipStatistics clip = work.backend.clip(in.plane, request.mesh.clip, work.job);
    value = noise ? clip.std / clip_bias(request.mesh.clip.kappa) : clip.median;
  } else if (noise && !(value > 0)) {
    throw InputError(fmt::format("the noise is given as {}: it must be above 0", value));
  }
  work.note(fmt::format("{} {:g}, the same for all pixels", noise ? "rms" : "mean", value));
  return value;
}

/// Maps in place of what was measured. Where nothing was, the model gets the nodes of the rms map, else of the mean.
void take_maps(const BackgroundInputs& in, const BackgroundRequest& request, BackgroundModel& model, StageWork& work) {
  using Kind = MapChoice::Kind;
  const MapChoice of_mean = map_choice(request.mean_path), of_rms = map_choice(request.rms_path);
  LoadedMap mean, rms;
  if (of_mean.kind == Kind::map) {
    mean = load_map(in, request.mean_path, "mean", work);
    if (mean.nodes) check_nodes(*mean.nodes, request.mean_path, false);
    if (mean.plane && mean.plane->blank() > in.plane.blank())
      work.warn(fmt::format("{}: {} pixels of the mean map are blank; no source is looked for there", request.mean_path,
                            mean.plane->blank()));
    work.note("mean map " + request.mean_path);
  }
  if (of_rms.kind == Kind::map) {
    rms = load_map(in, request.rms_path, "rms", work);
    if (rms.nodes) check_nodes(*rms.nodes, request.rms_path, true);
    std::string warning =
        rms.plane ? check_rms_map(work.backend, *rms.plane, request.rms_path, work.job) : std::string();
    if (!warning.empty()) work.warn(std::move(warning));
    work.note("rms map " + request.rms_path);
  }
  if (!request.mean_path.empty() && !request.rms_path.empty() && (rms.nodes || mean.nodes)) {
    model.grid = grid_of(rms.nodes ? *rms.nodes : *mean.nodes);
    const auto count = static_cast<std::size_t>(model.grid.ny() * model.grid.nx());
    model.mean.assign(count, 0);
    model.rms.assign(count, 0);
  }
  if (const auto value = one_value(in, of_mean, request, false, work))
    std::ranges::fill(model.mean, static_cast<float>(*value));
  if (const auto value = one_value(in, of_rms, request, true, work))
    std::ranges::fill(model.rms, static_cast<float>(*value));
  if (of_mean.kind == Kind::map) put(mean, in, model.grid, model.mean, model.mean_map, work);
  if (of_rms.kind == Kind::map) put(rms, in, model.grid, model.rms, model.rms_map, work);
  if (of_rms.kind != Kind::measured) model.raised.clear();
}

void tell_medians(const BackgroundModel& model, const Unit& unit, StageWork& work) {
  if (!model.mean_map) work.fact("background", fmt::format("median {}", words_in_unit(middle_value(model.mean), unit)));
  if (model.rms_map) return;
  const double rms = middle_value(model.rms);
  work.fact("noise rms", fmt::format("median {}", words_in_unit(rms, unit)));
  if (rms > 0) return;
  const bool none = std::ranges::none_of(model.rms, [](float one) { return one > 0; });
  work.warn(none ? "the noise rms is zero or unknown: no source can be found"
                 : "the noise rms is zero or unknown in most of the image: no source can be found there");
}

/// Adds levels under compact sources, where the mean is the measured one.   returns the model without them, whose nodes
/// stand evenly; nothing where there are none
std::optional<BackgroundModel> add_levels(const BackgroundInputs& in, const BackgroundRequest& request,
                                          MeasuredBackground& measured, StageWork& work) {
  const auto beam_px = beam_pixels(in.header, in.beam);
  if (!beam_px || measured.sources.empty() || !request.mean_path.empty()) return std::nullopt;
  const trace::Span span("host", "levels about sources");
  const auto levels =
      measure_levels(work.backend, in.plane, measured.model, std::move(measured.sources), *beam_px, work.job);
  if (levels.empty()) return std::nullopt;
  measured.what += fmt::format(", levels about {} compact source{}", levels.size(), levels.size() == 1 ? "" : "s");
  BackgroundModel with = with_levels(measured.model, levels, *beam_px);
  return std::exchange(measured.model, std::move(with));
}

}  // namespace

BackgroundModel run_background(const BackgroundInputs& in, const BackgroundRequest& request, StageWork& work) {
  BackgroundModel model;
  std::optional<BackgroundModel> even;
  if (!request.mean_path.empty() && !request.rms_path.empty()) {
    // Nothing is measured: blank pixels of a plane that is left in its file are counted here, where it can be stopped.
    if (in.tiling.in_source) (void)work.backend.statistics(in.plane, StatisticsParts::mean_and_std, work.job);
    model = BackgroundModel::constant(in.plane.shape(), 0, 0);
    work.algorithm = "maps given by the user";
  } else {
    MeasuredBackground measured =
        measure_background(work.backend, in.plane, request, beam_pixels(in.header, in.beam), work.job, in.next);
    even = add_levels(in, request, measured, work);
    model = std::move(measured.model);
    for (std::string& warning : measured.warnings) work.warn(std::move(warning));
    if (!measured.boxes.empty()) work.fact("boxes", measured.boxes);
    work.algorithm = measured.what;
    work.note(measured.what);
  }
  if (in.tiling.in_source && in.first_walk) tell_blanks(in.plane, in.header.path, work);
  take_maps(in, request, model, work);
  tell_medians(even && request.rms_path.empty() ? *even : model, in.header.unit, work);
  return model;
}

}  // namespace reber
