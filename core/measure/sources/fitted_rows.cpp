// SPDX-License-Identifier: BSD-3-Clause
// Some islands at a time by each thread, then all rows behind each other.
#include "core/measure/sources/fitted_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
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
SourceSums extra_source(const SourceSums& parent, const IslandPixels& pixels, std::size_t which,
                        const GaussianComponent& at) {
  SourceSums extra = parent;
  const std::size_t p = nearest_pixel(pixels, which, at.x, at.y);
  extra.sums.peak_y = pixels.y[p], extra.sums.peak_x = pixels.x[p];
  extra.sums.peak = pixels.pixel[p], extra.sums.peak_mean = pixels.mean[p], extra.sums.peak_rms = pixels.rms[p];
  return extra;
}

/// Entry, from `first`, of the source whose brightest pixel is nearest.
std::size_t nearest_source(const std::vector<SourceSums>& sources, std::size_t first, const GaussianComponent& at) {
  std::size_t nearest = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = first; k < sources.size(); ++k)
    if (const double d = std::hypot(sources[k].sums.peak_x - at.x, sources[k].sums.peak_y - at.y); d < least)
      least = d, nearest = k - first;
  return nearest;
}

/// Sources and their fits, those that the fits added at the end of their islands.
struct Rows {
  std::vector<SourceSums> sums;
  std::vector<SourceFit> fits;

  void add(const SourceSums& one, SourceFit fit) {
    sums.push_back(one);
    fits.push_back(std::move(fit));
  }
};

SourceFit fit_of(const LadderResult& one) {
  SourceFit fit{one.gaussian, one.flag};
  fit.unsure = one.unsure;
  return fit;
}

/// The results of an island's own sources, to its rows, which begin at `first`.
void put_own(const FittedIslands& in, std::size_t i, std::size_t first, Rows& rows) {
  const LadderSetting& setting = in.settings[in.settings.size() > 1 ? i : 0];
  for (const LadderResult& one : in.found[i]) {
    if (one.source == Candidate::kExtra) continue;
    const std::size_t k = first + static_cast<std::size_t>(one.source);
    const auto rest =
        (one.flag & kFlagCore) != 0 ? without_core(rows.sums[k], one.gaussian.component, setting.seed) : std::nullopt;
    if (!rest) {
      rows.fits[k] = fit_of(one);
      if (one.noise) rows.fits[k].flag |= kFlagNoise;
      continue;
    }
    SourceSums core = extra_source(rows.sums[k], in.pixels, in.islands[i].pixels, one.gaussian.component);
    core.shared = true;
    rows.add(core, fit_of(one));
    rows.sums[k] = *rest;
    rows.fits[k].flag |= kFlagCore;
  }
}

/// The rows of an island, behind those of the sources before it that are in none.
void add_rows(const std::vector<SourceSums>& sums, const FittedIslands& in, std::size_t i, Rows& rows) {
  const IslandSources& island = in.islands[i];
  const LadderSetting& setting = in.settings[in.settings.size() > 1 ? i : 0];
  for (std::size_t k = i > 0 ? in.islands[i - 1].first + in.islands[i - 1].count : 0; k < island.first; ++k)
    rows.add(sums[k], {{}, kFlagNotFitted});
  const std::size_t first = rows.sums.size();
  for (std::size_t k = 0; k < island.count; ++k) rows.add(sums[island.first + k], {{}, kFlagNotFitted});
  put_own(in, i, first, rows);
  for (const LadderResult& one : in.found[i]) {
    if (one.source != Candidate::kExtra) continue;
    const GaussianComponent& at = one.gaussian.component;
    const std::size_t parent = first + nearest_source(rows.sums, first, at);
    rows.sums[parent].shared = true;
    rows.add(extra_source(rows.sums[parent], in.pixels, island.pixels, at), fit_of(one));
  }
  if (!setting.beam || in.found[i].empty()) return;
  if (const auto rest = rest_of(std::span(rows.sums).subspan(first), std::span(rows.fits).subspan(first),
                                pixels_of(in.pixels, island.pixels, in.negative), gaussian_area(*setting.beam))) {
    for (std::size_t k = first; k < rows.sums.size(); ++k) rows.sums[k].shared = true;
    rows.add(*rest, {{}, kFlagNotFitted | kFlagRest});
  }
}

}  // namespace

std::vector<SourceFit> collect_rows(std::vector<SourceSums>& sums, const FittedIslands& in, ThreadPool& pool,
                                    const Job& job) {
  constexpr std::size_t kTogether = 64;  // islands of a thread's turn
  const std::size_t islands = in.islands.size();
  std::vector<Rows> turns((islands + kTogether - 1) / kTogether);
  pool.for_each(std::ssize(turns), [&](std::int64_t turn) {
    job.check();
    const auto number = static_cast<std::size_t>(turn);
    for (std::size_t i = number * kTogether; i < std::min((number + 1) * kTogether, islands); ++i)
      add_rows(sums, in, i, turns[number]);
  });
  const std::size_t behind = in.islands.empty() ? 0 : in.islands.back().first + in.islands.back().count;
  std::size_t count = sums.size() - behind;
  for (const Rows& turn : turns) count += turn.sums.size();
  Rows all;
  reserve_large(all.sums, count), reserve_large(all.fits, count);
  for (const Rows& turn : turns) {
    all.sums.insert(all.sums.end(), turn.sums.begin(), turn.sums.end());
    all.fits.insert(all.fits.end(), turn.fits.begin(), turn.fits.end());
  }
  for (std::size_t k = behind; k < sums.size(); ++k) all.add(sums[k], {{}, kFlagNotFitted});
  sums = std::move(all.sums);
  return std::move(all.fits);
}

}  // namespace reber
