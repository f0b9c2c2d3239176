// SPDX-License-Identifier: BSD-3-Clause
// Jobs of the panels, and taking what they bring.
#include "gui/ui/inspector.hpp"

#include <algorithm>
#include <atomic>
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
  std::uint64_t counting = 0;             ///< of which all pixels in its file are counted
  Asked<ContoursKey> contours_asked;
  Asked<RegionsKey> regions_asked;
  std::optional<RegionsKey> regions_running;  ///< what was asked for last
  std::optional<LayerStatistics> statistics_found;
  std::optional<ViewContours> contours_found;
  std::optional<RegionResults> regions_found;
};

namespace {

/// Images that stay in their file are judged by some of their rows, with at most this many pixels.
constexpr std::int64_t kMostSampled = std::int64_t{16} << 20;
constexpr int kBins = 512;
constexpr double kTail = 1e-4;

struct WholePixels {
  ConstImageView view;
  Image owned;
  std::int64_t row_step = 1;
};

WholePixels whole_pixels(const Pyramid& pixels) {
  WholePixels whole;
  whole.view = pixels.brought_pixels();
  if (whole.view.pixels != nullptr) return whole;
  const int level = pixels.first_level();
  Shape shape = pixels.level_shape(level);
  if (pixels.in_file()) whole.row_step = std::max<std::int64_t>(1, shape.count() / kMostSampled);
  const std::int64_t step = whole.row_step;
  shape.ny = (shape.ny + step - 1) / step;
  whole.owned = Image(shape);
  if (step == 1) pixels.read(level, Reduction::mean, {0, 0, shape.ny, shape.nx}, whole.owned.data());
  for (std::int64_t y = 0; step > 1 && y < shape.ny; ++y)
    pixels.read_rows(y * step, 1, whole.owned.data() + y * shape.nx);
  whole.view = whole.owned.view();
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

LayerStatistics statistics_of(const ImageRows& rows, std::uint64_t id, const Progress& progress) {
  ThreadPool pool;
  LayerStatistics out;
  out.pixels = id;
  out.summary = summarise(rows, pool, progress);
  out.std = standard_deviation(rows, out.summary.mean(), pool, progress);
  const auto ranks = quantiles(rows, {0.5, kTail, 1 - kTail}, pool, progress);
  out.median = ranks[0];
  out.sigma = 1.4826 * quantiles(rows, {0.5}, pool, progress, static_cast<float>(ranks[0])).front();
  const auto [low, high] = histogram_range(ranks[1], ranks[2], out.median, out.sigma);
  out.histogram = histogram(rows, low, high, kBins, pool, progress);
  return out;
}

LayerStatistics make_statistics(const Pyramid& pixels, const Progress& progress) {
  const WholePixels whole = whole_pixels(pixels);
  LayerStatistics out = statistics_of(whole.view, pixels.id(), progress);
  out.row_step = whole.row_step;
  return out;
}

/// The same of all rows, each read as often as statistics_of() walks over them.
LayerStatistics statistics_of_file(const Pyramid& pixels, const Progress& progress) {
  constexpr double kWalks = 7;
  std::atomic<std::int64_t> read{0};
  const ImageRows rows(pixels.shape(), [&](std::int64_t y0, std::int64_t ny, float* out) {
    pixels.read_rows(y0, ny, out);
    progress.report("statistics", static_cast<double>(read += ny) / (kWalks * static_cast<double>(pixels.shape().ny)));
  });
  return statistics_of(rows, pixels.id(), progress);
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
  if (const std::string error = jobs.statistics.error(); !error.empty() && jobs.counting != 0) {
    context.state.say("Statistics: " + error, true);
    jobs.counting = 0;
  }
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
  if (jobs.statistics_asked.anew(pixels->id())) {
    jobs.counting = 0;
    jobs.statistics.start([pixels](const Progress& progress) { return make_statistics(*pixels, progress); });
  }
  const auto& found = jobs.statistics_found;
  return found && found->pixels == pixels->id() ? &*found : nullptr;
}

void count_all_pixels(Context& context) {
  const auto pixels = context.state.document()->layer().pixels;
  if (!pixels || !pixels->in_file()) return;
  jobs_of(context).counting = pixels->id();
  jobs_of(context).statistics.start(
      [pixels](const Progress& progress) { return statistics_of_file(*pixels, progress); });
}

double counting_fraction(const ViewerState& state) {
  const auto& jobs = state.inspect.jobs;
  const bool counts = jobs && jobs->counting != 0 && jobs->statistics.busy();
  return counts ? jobs->statistics.fraction() : -1;
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
  // A region that is dragged is another one in every frame: what runs comes to its end.
  const auto& last = jobs.regions_running;
  const bool dragged = last && last->document == key.document && last->pixels == key.pixels;
  if ((!dragged || jobs.regions.free()) && jobs.regions_asked.anew(key)) {
    jobs.regions_running = key;
    const bool map = document.shown == LayerKind::snr || document.shown == LayerKind::islands;
    const Unit unit = map ? Unit() : document.header->unit;
    const auto& beam = layer_beam(document, document.shown);
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
