// SPDX-License-Identifier: BSD-3-Clause
// Each island by one thread, then all rows behind each other.
#include "core/measure/sources/fitted_rows.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "core/base/large_vectors.hpp"
#include "core/measure/sources/fit_parts.hpp"
#include "core/measure/sources/island_rest.hpp"

namespace reber {
namespace {

/// Entry of the pixels of an island that is nearest to a place.
std::size_t nearest_pixel(const IslandPixels& pixels, std::size_t which, double x, double y) {
  auto nearest = static_cast<std::size_t>(pixels.first[which]);
  double least = std::numeric_limits<double>::infinity();
  for (auto p = static_cast<std::size_t>(pixels.first[which]); p < static_cast<std::size_t>(pixels.first[which + 1]);
       ++p)
    if (const double d = std::hypot(pixels.x[p] - x, pixels.y[p] - y); d < least) least = d, nearest = p;
  return nearest;
}

/// The entry of a source that a fit added: the sums of the one it was found in, the peak where it is.
SourceRow extra_source(const SourceRow& parent, const IslandPixels& pixels, std::size_t which,
                       const GaussianComponent& at) {
  SourceRow extra = parent;
  const std::size_t p = nearest_pixel(pixels, which, at.x, at.y);
  extra.sums.peak_y = pixels.y[p], extra.sums.peak_x = pixels.x[p];
  extra.sums.peak = pixels.pixel[p], extra.sums.peak_mean = pixels.mean[p], extra.sums.peak_rms = pixels.rms[p];
  return extra;
}

/// Entry, from `first`, of the source whose brightest pixel is nearest.
std::size_t nearest_source(const std::vector<SourceRow>& sources, std::size_t first, const GaussianComponent& at) {
  std::size_t nearest = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = first; k < sources.size(); ++k)
    if (const double d = std::hypot(sources[k].sums.peak_x - at.x, sources[k].sums.peak_y - at.y); d < least)
      least = d, nearest = k - first;
  return nearest;
}

void add_unfitted(const SourceRow& source, std::vector<SourceRow>& rows) {
  rows.push_back(source);
  rows.back().fit = {{}, kFlagNotFitted};
}

SourceFit fit_of(const LadderResult& one) {
  SourceFit fit{one.gaussian, one.flag};
  fit.unsure = one.unsure;
  return fit;
}

/// The results of an island's own sources, to its rows, which begin at `first`.
void put_own(const FittedIslands& in, std::size_t i, std::size_t first, std::vector<SourceRow>& rows) {
  const LadderSetting& setting = in.settings[in.settings.size() > 1 ? i : 0];
  for (const LadderResult& one : in.found[i]) {
    if (one.source == Candidate::kExtra) continue;
    const std::size_t k = first + static_cast<std::size_t>(one.source);
    const auto rest =
        (one.flag & kFlagCore) != 0 ? without_core(rows[k], one.gaussian.component, setting.seed) : std::nullopt;
    if (!rest) {
      rows[k].fit = fit_of(one);
      if (one.noise) rows[k].fit.flag |= kFlagNoise;
      continue;
    }
    SourceRow core = extra_source(rows[k], in.pixels, in.islands[i].pixels, one.gaussian.component);
    core.shared = true;
    core.fit = fit_of(one);
    rows.push_back(std::move(core));
    rows[k] = *rest;
    rows[k].fit.flag |= kFlagCore;
  }
}

/// The rows of an island, behind those of the sources before it that are in none.
void add_rows(const std::vector<SourceRow>& sources, const FittedIslands& in, std::size_t i,
              std::vector<SourceRow>& rows) {
  const IslandSources& island = in.islands[i];
  const LadderSetting& setting = in.settings[in.settings.size() > 1 ? i : 0];
  for (std::size_t k = i > 0 ? in.islands[i - 1].first + in.islands[i - 1].count : 0; k < island.first; ++k)
    add_unfitted(sources[k], rows);
  const std::size_t first = rows.size();
  for (std::size_t k = 0; k < island.count; ++k) add_unfitted(sources[island.first + k], rows);
  const auto attempts =
      in.attempts[i].empty() ? nullptr : std::make_shared<const std::vector<FitAttempt>>(in.attempts[i]);
  for (std::size_t k = first; k < rows.size(); ++k) rows[k].story.attempts = attempts;
  put_own(in, i, first, rows);
  for (const LadderResult& one : in.found[i]) {
    if (one.source != Candidate::kExtra) continue;
    const GaussianComponent& at = one.gaussian.component;
    const std::size_t parent = first + nearest_source(rows, first, at);
    rows[parent].shared = true;
    SourceRow extra = extra_source(rows[parent], in.pixels, island.pixels, at);
    extra.fit = fit_of(one);
    rows.push_back(std::move(extra));
  }
  if (!setting.beam || in.found[i].empty()) return;
  if (const auto rest = rest_of(std::span(rows).subspan(first), pixels_of(in.pixels, island.pixels, in.negative),
                                gaussian_area(*setting.beam))) {
    for (std::size_t k = first; k < rows.size(); ++k) rows[k].shared = true;
    rows.push_back(*rest);
  }
}

}  // namespace

std::vector<SourceRow> collect_rows(const std::vector<SourceRow>& sources, const FittedIslands& in, ThreadPool& pool,
                                    const Job& job) {
  std::vector<std::vector<SourceRow>> each(in.islands.size());
  pool.for_each(std::ssize(each), [&](std::int64_t i) {
    job.check();
    add_rows(sources, in, static_cast<std::size_t>(i), each[static_cast<std::size_t>(i)]);
  });
  const std::size_t behind = in.islands.empty() ? 0 : in.islands.back().first + in.islands.back().count;
  std::size_t count = sources.size() - behind;
  for (const auto& rows : each) count += rows.size();
  std::vector<SourceRow> all;
  reserve_large(all, count);
  for (auto& rows : each) std::ranges::move(rows, std::back_inserter(all));
  for (std::size_t k = behind; k < sources.size(); ++k) add_unfitted(sources[k], all);
  return all;
}

}  // namespace reber
