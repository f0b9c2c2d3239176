// SPDX-License-Identifier: BSD-3-Clause
// Runs of islands joined with the ellipse around a place.
#include "core/run/pipeline/hand_pixels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "core/measure/fitting/island_margin.hpp"
#include "core/measure/sources/scale_islands.hpp"

namespace reber {
namespace {

using Run = LabelRuns::Run;

/// Columns of each row, [first, last), within the FWHM of a Gaussian.
std::vector<Run> ellipse_runs(const GaussianComponent& at, Shape shape) {
  std::vector<Run> runs;
  const Covariance& c = at.fwhm2;
  const double tall = std::sqrt(c.yy), narrow = (c.xx * c.yy - c.xy * c.xy) / c.yy;
  const auto first = std::max<std::int64_t>(0, static_cast<std::int64_t>(std::ceil(at.y - tall)));
  const auto last = std::min<std::int64_t>(shape.ny - 1, static_cast<std::int64_t>(std::floor(at.y + tall)));
  for (std::int64_t y = first; y <= last; ++y) {
    const double dy = static_cast<double>(y) - at.y, middle = at.x + c.xy / c.yy * dy;
    const double half = std::sqrt(std::max(0.0, narrow * (1 - dy * dy / c.yy)));
    const auto x0 = std::max<std::int64_t>(0, static_cast<std::int64_t>(std::ceil(middle - half)));
    const auto x1 = std::min<std::int64_t>(shape.nx, static_cast<std::int64_t>(std::floor(middle + half)) + 1);
    if (x0 < x1)
      runs.push_back({static_cast<std::int32_t>(y), static_cast<std::int32_t>(x0), static_cast<std::int32_t>(x1), 1});
  }
  return runs;
}

/// Sorted, those that touch as one.
std::vector<Run> joined(std::vector<Run> runs) {
  std::ranges::sort(runs, {}, [](const Run& run) { return std::pair(run.y, run.x0); });
  std::vector<Run> made;
  for (const Run& run : runs) {
    if (!made.empty() && made.back().y == run.y && run.x0 <= made.back().x1)
      made.back().x1 = std::max(made.back().x1, run.x1);
    else
      made.push_back({run.y, run.x0, run.x1, 1});
  }
  return made;
}

}  // namespace

HandPixels::HandPixels(const Result& result, const DetectOptions& options, const Job& job)
    : result_(result), options_(options), job_(job), islands_(result.backend->label_runs(*result.islands(), job)) {
  last_ = result.islands()->count();
  for (const Source& source : result.sources()) last_ = std::max(last_, source.island);
}

HandPixels::Area HandPixels::area(std::set<std::int64_t> labels, const std::optional<GaussianComponent>& place) const {
  Area made;
  std::vector<Run> runs;
  if (place) runs = ellipse_runs(*place, islands_.shape);
  std::multimap<std::int32_t, Run> around;
  for (const Run& run : runs) around.emplace(run.y, run);
  for (const Run& run : islands_.runs) {
    const auto [from, to] = around.equal_range(run.y);
    for (auto each = from; each != to; ++each)
      if (run.x0 < each->second.x1 && each->second.x0 < run.x1) labels.insert(run.label);
  }
  for (const Run& run : islands_.runs)
    if (labels.contains(run.label)) runs.push_back(run);
  made.labels = std::move(labels);
  made.runs = {islands_.shape, joined(std::move(runs))};
  made.grown = place.has_value() || made.labels.size() > 1;
  if (!made.runs.runs.empty())
    made.pixels =
        pixels_of_runs(*result_.backend, *result_.plane(), *result_.background(), {made.runs, {1}}, options_, job_);
  if (made.pixels.label.empty()) made.pixels.label = {1}, made.pixels.first = {0, 0};
  return made;
}

std::int64_t HandPixels::keep(const Area& area) {
  const std::int64_t label = area.labels.empty() ? ++last_ : *area.labels.begin();
  if (!area.grown) return label;
  std::erase_if(islands_.runs, [&](const Run& run) { return area.labels.contains(run.label); });
  for (Run run : area.runs.runs) {
    run.label = static_cast<std::int32_t>(label);
    islands_.runs.push_back(run);
  }
  std::ranges::sort(islands_.runs, {}, [](const Run& run) { return std::pair(run.y, run.x0); });
  return label;
}

IslandSums HandPixels::sums_of_share(const IslandPixels& area, const FitPixels& share, const GaussianComponent& at) {
  IslandPixels mine;
  mine.label = {1};
  const auto add = [&](std::size_t p) {
    mine.y.push_back(area.y[p]), mine.x.push_back(area.x[p]);
    mine.pixel.push_back(area.pixel[p]), mine.mean.push_back(area.mean[p]), mine.rms.push_back(area.rms[p]);
  };
  std::size_t nearest = 0, k = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t p = 0; p < area.y.size(); ++p) {
    if (const double away = std::hypot(area.x[p] - at.x, area.y[p] - at.y); away < least) least = away, nearest = p;
    if (k < share.y.size() && share.y[k] == area.y[p] && share.x[k] == area.x[p]) add(p), ++k;
  }
  if (mine.y.empty()) add(nearest);
  mine.first.push_back(static_cast<std::int64_t>(mine.y.size()));
  return sums_of(mine, 0, false);
}

}  // namespace reber
