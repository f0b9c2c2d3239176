// SPDX-License-Identifier: BSD-3-Clause
// Which boxes, and maps that the user gave in place of what is measured.
#include "core/run/pipeline/background_stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.hpp"
#include "core/files/fits/given_map.hpp"
#include "core/measure/background/background_terms.hpp"
#include "core/measure/background/mesh_nodes.hpp"
#include "core/measure/fitting/wide_islands.hpp"
#include "core/run/pipeline/mesh_maps.hpp"
#include "core/run/pipeline/read_stage.hpp"
#include "core/run/request/map_choice.hpp"
#include "core/sky/model/value_words.hpp"

namespace reber {
namespace {

/// Sources whose sidelobes can pass for sources: calibration and cleaning leave a hundredth of a source at most.
constexpr double kSidelobes = 500;

/// Sides of smaller cells that waves of the background may be looked for in.
std::int64_t least_wave_side(std::optional<double> beam_px) {
  constexpr double kBeams = 5;
  constexpr std::int64_t kLeast = 24;
  return beam_px ? std::max(kLeast, whole_beams(kBeams, *beam_px)) : kLeast;
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

/// Smaller boxes near bright sources, and what they are; nothing where they would be no smaller.   throws InputError
std::optional<FineCells> fine_cells(const BackgroundRequest& request, const BoxChoice& choice, Shape image,
                                    const Rect& part, std::optional<double> beam_px, std::string& boxes) {
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
  if (fine >= choice.box) {
    boxes += "; no smaller boxes near bright sources: they would hold fewer than 10 beams";
    return std::nullopt;
  }
  boxes += fmt::format("; {} px near sources above {:g} sigma", fine, request.bright_sigma);
  return FineCells{MeshGrid::sliding(image, part, fine, step), static_cast<double>(fine),
                   static_cast<double>(fine + choice.box)};
}

}  // namespace

MeasuredBackground measure_background(Backend& backend, const Plane& plane, const BackgroundRequest& request,
                                      std::optional<double> beam_px, const Job& job,
                                      const std::optional<DetectOptions>& next, bool levels) {
  if (request.method == BackgroundRequest::Method::clip) return measure_clip(backend, plane, request, job);
  const BackgroundPixels image{backend, plane, job};
  const Rect part = image.part();
  const BoxChoice choice = choose_boxes(request, part.shape(), beam_px);
  MeasuredBackground result{{}, "", choice.reason, {}};
  const BackgroundSetup setup{
      MeshGrid::sliding(plane.shape(), part, choice.box, choice.step),
      request.mesh,
      request.adaptive ? fine_cells(request, choice, plane.shape(), part, beam_px, result.boxes) : std::nullopt,
      request.box > 0 ? 0 : least_wave_side(beam_px),
      request.passes,
      request.adaptive ? request.bright_sigma : kSidelobes,
      beam_px,
      levels,
      next,
      [&](const BackgroundModel& model, const MaskedIslands& islands) {
        const auto cell = choice.box * choice.box;
        return surroundings_of({backend, plane, model, islands, beam_px.value_or(0), static_cast<double>(cell)}, job);
      }};
  Measuring measuring{setup, image, &image};
  const bool usable = measure_passes(measuring);
  if (!usable) result.warnings.push_back("no cell of the background mesh holds enough finite pixels");
  result.model = usable ? std::move(measuring.model) : BackgroundModel::constant(plane.shape(), 0, 0);
  const bool sliding = request.method == BackgroundRequest::Method::grid;
  result.what =
      fmt::format("{} of {} x {} {} of {} px{}, {:g}-sigma clip, {}x{} median filter, {}", sliding ? "grid" : "mesh",
                  setup.grid.nx(), setup.grid.ny(), sliding ? "boxes" : "cells", choice.box,
                  sliding ? fmt::format(" every {} px", choice.step) : "", request.mesh.clip.kappa, request.mesh.filter,
                  request.mesh.filter, request.passes > 1 ? fmt::format("{} passes", request.passes) : "one pass");
  for (const std::string& words : measuring.words) result.what += ", " + words;
  result.even = std::move(measuring.even);
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
    MeasuredBackground measured = measure_background(work.backend, in.plane, request, beam_pixels(in.header, in.beam),
                                                     work.job, in.next, request.mean_path.empty());
    model = std::move(measured.model);
    even = std::move(measured.even);
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
