// SPDX-License-Identifier: BSD-3-Clause
// Jobs of the panels, and taking what they bring.
#include "gui/ui/inspector.hpp"

#include <algorithm>
#include <cmath>

#include "gui/model/first_limits.hpp"
#include "gui/model/job_slot.hpp"
#include "gui/model/regions/region_statistics.hpp"
#include "gui/ui/memo.hpp"

namespace reber::gui {

/// Limits found for a layer.
struct FoundLimits {
  std::int64_t document = -1;
  LayerKind layer = LayerKind::input;
  std::uint64_t pixels = 0;
  DisplayLimits limits;
  std::string rule;
};

/// What contours are made of.
struct ContoursKey {
  std::uint64_t pixels = 0;  ///< Pyramid::id()
  Rect area;
  ContourLevels levels;
  bool operator==(const ContoursKey&) const = default;
};

/// What the regions' statistics are made of.
struct RegionsKey {
  std::int64_t document = -1;
  std::uint64_t version = 0, pixels = 0;  ///< of the regions; Pyramid::id()
  bool operator==(const RegionsKey&) const = default;
};

struct InspectorJobs {
  explicit InspectorJobs(const std::function<void()>& wake)
      : limits(wake), statistics(wake), contours(wake), regions(wake) {}
  JobSlot<FoundLimits> limits;
  JobSlot<LayerStatistics> statistics;
  JobSlot<ViewContours> contours;
  JobSlot<RegionResults> regions;
  Asked<std::uint64_t> statistics_asked;  ///< Pyramid::id()
  Asked<ContoursKey> contours_asked;
  Asked<RegionsKey> regions_asked;
  std::optional<LayerStatistics> statistics_found;
  std::optional<ViewContours> contours_found;
  std::optional<RegionResults> regions_found;
};

namespace {

/// Images that do not fit in memory are judged by the lowest level with at most this many pixels.
constexpr std::int64_t kMostReduced = std::int64_t{64} << 20;
constexpr int kBins = 512;
constexpr double kTail = 1e-4;

struct WholePixels {
  ConstImageView view;
  Image owned;
  bool reduced = false;
};

WholePixels whole_pixels(const Pyramid& pixels) {
  WholePixels whole;
  whole.view = pixels.brought_pixels();
  if (whole.view.pixels != nullptr) return whole;
  int level = pixels.first_level();
  while (level + 1 < pixels.levels() && pixels.level_shape(level).count() > kMostReduced) ++level;
  const Shape shape = pixels.level_shape(level);
  whole.owned = Image(shape);
  pixels.read(level, Reduction::mean, {0, 0, shape.ny, shape.nx}, whole.owned.data());
  whole.view = whole.owned.view();
  whole.reduced = level > 0;
  return whole;
}

/// The same, its padding blank.
WholePixels measured_pixels(const Pyramid& pixels) {
  WholePixels whole = whole_pixels(pixels);
  if (!has_padding(pixels)) return whole;
  const Shape shape = whole.view.shape;
  if (whole.owned.shape().count() == 0) {
    whole.owned = Image(shape);
    for (std::int64_t y = 0; y < shape.ny; ++y)
      std::copy_n(whole.view.row(y), shape.nx, whole.owned.data() + y * shape.nx);
  }
  for (std::int64_t y = 0; y < shape.ny; ++y)
    blank_runs_of_zeros({whole.owned.data() + y * shape.nx, static_cast<std::size_t>(shape.nx)});
  whole.view = whole.owned.view();
  return whole;
}

LayerStatistics make_statistics(const Pyramid& pixels, const Progress& progress) {
  ThreadPool pool;
  const WholePixels whole = whole_pixels(pixels);
  LayerStatistics out;
  out.pixels = pixels.id();
  out.reduced = whole.reduced;
  progress.report("statistics", 0);
  out.summary = summarise(whole.view, pool, progress);
  progress.report("statistics", 0.2);
  out.std = standard_deviation(whole.view, out.summary.mean(), pool, progress);
  progress.report("statistics", 0.4);
  const auto ranks = quantiles(whole.view, {0.5, kTail, 1 - kTail}, pool, progress);
  out.median = ranks[0];
  progress.report("statistics", 0.7);
  out.sigma = 1.4826 * quantiles(whole.view, {0.5}, pool, progress, static_cast<float>(ranks[0])).front();
  // Around the noise: over the whole range it would be one bar.
  const bool noise = out.sigma > 0;
  const double low = noise ? std::max(ranks[1], out.median - 10 * out.sigma) : ranks[1],
               high = noise ? std::min(ranks[2], out.median + 40 * out.sigma) : ranks[2];
  out.histogram = histogram(whole.view, low, high, kBins, pool, progress);
  return out;
}

std::vector<double> values_at(const Pyramid& pixels, const std::vector<double>& percents, const Progress& progress) {
  ThreadPool pool;
  std::vector<double> parts;
  for (const double percent : percents) parts.push_back(percent / 100);
  return quantiles(whole_pixels(pixels).view, parts, pool, progress);
}

InspectorJobs& jobs_of(Context& context) {
  auto& jobs = context.state.inspect.jobs;
  if (!jobs) jobs = std::make_shared<InspectorJobs>(context.shell.wake());
  return *jobs;
}

void take_limits(ViewerState& state, InspectorJobs& jobs) {
  const auto found = jobs.limits.take();
  if (!found) {
    if (const std::string error = jobs.limits.error(); !error.empty()) state.say("Limits: " + error, true);
    return;
  }
  Document* const document = state.find(found->document);
  if (document == nullptr) return;
  Layer& layer = document->layer(found->layer);
  if (!layer.pixels || layer.pixels->id() != found->pixels) return;
  layer.render.low = found->limits.low;
  layer.render.high = found->limits.high;
  layer.render.limits = found->rule;
  layer.limits_set = true;
}

}  // namespace

void update_inspector(Context& context) {
  if (!context.state.inspect.jobs) return;
  InspectorJobs& jobs = *context.state.inspect.jobs;
  take_limits(context.state, jobs);
  if (auto found = jobs.statistics.take()) jobs.statistics_found = std::move(found);
  if (auto found = jobs.contours.take()) jobs.contours_found = std::move(found);
  if (auto found = jobs.regions.take()) jobs.regions_found = std::move(found);
}

void set_limits_by(Context& context, const LimitsRule& rule) {
  const Document& document = context.state.adjusted();
  const auto pixels = document.layer().pixels;
  if (!pixels) return;
  if (context.state.combining()) {  // found anew, even about the middle
    context.state.compare.combined = {};
    return;
  }
  FoundLimits found{document.id, document.shown, pixels->id(), {}, name_of(rule)};
  jobs_of(context).limits.start([pixels, rule, found](const Progress& progress) {
    ThreadPool pool;
    FoundLimits out = found;
    out.limits = find_limits(measured_pixels(*pixels).view, rule, pool, progress);
    return out;
  });
}

const LayerStatistics* layer_statistics(Context& context) {
  const auto pixels = context.state.document()->layer().pixels;
  if (!pixels) return nullptr;
  InspectorJobs& jobs = jobs_of(context);
  if (jobs.statistics_asked.anew(pixels->id()))
    jobs.statistics.start([pixels](const Progress& progress) { return make_statistics(*pixels, progress); });
  const auto& found = jobs.statistics_found;
  return found && found->pixels == pixels->id() ? &*found : nullptr;
}

const ViewContours* view_contours(Context& context, const Document& document, LayerKind layer, const Rect& area) {
  constexpr std::int64_t kMostSide = 1400;  // nodes: finer than the screen shows them
  const auto pixels = document.layer(layer).pixels;
  if (!pixels) return nullptr;
  InspectorJobs& jobs = jobs_of(context);
  ContourLevels levels = context.state.inspect.contours;
  // Levels need the layer's median and sigma, which the statistics bring; those of another image the job finds.
  const bool elsewhere = &document != context.state.document();
  if (layer == document.shown && !elsewhere) {
    if (const LayerStatistics* s = layer_statistics(context)) {
      levels.middle = s->median;
      levels.sigma = s->sigma;
    }
  }
  const bool percentiles = levels.rule == ContourLevels::Rule::percentile;
  levels.at_percents.clear();
  if ((percentiles || elsewhere || levels.sigma > 0) && jobs.contours_asked.anew({pixels->id(), area, levels})) {
    const auto& last = jobs.contours_found;
    const bool same = last && last->pixels == pixels->id();
    ContourLevels known = same ? last->levels : ContourLevels();
    if (known.percents != levels.percents) known.at_percents.clear();
    jobs.contours.start([pixels, area, now = levels, percentiles, elsewhere, known](const Progress& progress) {
      ContourLevels at = now;
      if (percentiles)
        at.at_percents = known.at_percents.empty() ? values_at(*pixels, at.percents, progress) : known.at_percents;
      if (elsewhere && !percentiles) {
        at.middle = known.middle;
        at.sigma = known.sigma;
        if (!(at.sigma > 0)) {
          const LayerStatistics s = make_statistics(*pixels, progress);
          at.middle = s.median;
          at.sigma = s.sigma;
        }
      }
      return ViewContours{pixels->id(), area, at, contours_of(*pixels, area, at, kMostSide, progress)};
    });
  }
  const auto& found = jobs.contours_found;
  return found && found->pixels == pixels->id() ? &*found : nullptr;
}

const RegionResults* region_results(Context& context) {
  const Document& document = *context.state.document();
  const auto pixels = document.layer().pixels;
  if (!pixels || pixels->first_level() != 0) return nullptr;
  InspectorJobs& jobs = jobs_of(context);
  const RegionsKey key{document.id, document.inspect.version, pixels->id()};
  if (jobs.regions_asked.anew(key)) {
    const bool map = document.shown == LayerKind::snr || document.shown == LayerKind::islands;
    const Unit unit = map ? Unit() : document.header->unit;
    const auto& beam = document.shown != LayerKind::input && document.result && document.result->beam
                           ? document.result->beam
                           : document.header->beam;
    jobs.regions.start([pixels, unit, beam, regions = document.inspect.regions, wcs = document.header->wcs,
                        key](const Progress& progress) {
      RegionResults out{key.document, key.version, key.pixels, {}};
      for (const Region& region : regions) {
        out.regions.emplace_back();
        if (region.has_area()) out.regions.back() = region_statistics(region, *pixels, unit, beam, wcs, progress);
      }
      return out;
    });
  }
  const auto& found = jobs.regions_found;
  return found && found->document == document.id && found->pixels == pixels->id() ? &*found : nullptr;
}

bool inspector_busy(const ViewerState& state) {
  const auto& jobs = state.inspect.jobs;
  return jobs && (jobs->limits.busy() || jobs->statistics.busy() || jobs->contours.busy() || jobs->regions.busy());
}

}  // namespace reber::gui
