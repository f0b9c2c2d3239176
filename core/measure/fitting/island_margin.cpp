// SPDX-License-Identifier: BSD-3-Clause
// A sweep over the ends of runs, row by row.
#include "core/measure/fitting/island_margin.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace reber {
namespace {

/// Columns [x0, x1) of a row that belong to an island or are beside it.
struct Claim {
  std::int32_t y;
  std::int64_t island;  ///< entry
  std::int32_t x0, x1;

  bool operator<(const Claim& other) const {
    return std::tie(y, island, x0, x1) < std::tie(other.y, other.island, other.x0, other.x1);
  }
};

/// An end of a claim: how many islands claim the pixels from here on, more or less. One that is in an island counts
/// as claimed by two.
struct End {
  std::int32_t y, x, claims;
  std::int64_t island;  ///< added up: of a pixel with one claim it is whose
};

/// The runs of islands, and with one pixel around them, each sorted.
struct Claims {
  std::vector<Claim> own, near;
};

Claims claims_of(const IslandPixels& islands, Shape image) {
  Claims all;
  for (std::size_t k = 0; k < islands.label.size(); ++k)
    for (auto p = static_cast<std::size_t>(islands.first[k]), end = static_cast<std::size_t>(islands.first[k + 1]);
         p < end;) {
      std::size_t last = p + 1;
      while (last < end && islands.y[last] == islands.y[p] && islands.x[last] == islands.x[last - 1] + 1) ++last;
      const Claim run{islands.y[p], static_cast<std::int64_t>(k), islands.x[p], islands.x[last - 1] + 1};
      all.own.push_back(run);
      for (std::int32_t y = run.y - 1; y <= run.y + 1; ++y)
        if (y >= 0 && y < image.ny)
          all.near.push_back({y, run.island, std::max(run.x0 - 1, 0),
                              static_cast<std::int32_t>(std::min<std::int64_t>(run.x1 + 1, image.nx))});
      p = last;
    }
  std::sort(all.near.begin(), all.near.end());
  return all;
}

std::vector<End> ends_of(const Claims& claims) {
  std::vector<End> ends;
  ends.reserve(2 * (claims.own.size() + claims.near.size()));
  const auto add = [&](const Claim& one, std::int32_t weight) {
    ends.push_back({one.y, one.x0, weight, one.island});
    ends.push_back({one.y, one.x1, -weight, -one.island});
  };
  for (const Claim& one : claims.own) add(one, 2);
  for (std::size_t k = 0; k < claims.near.size();) {  // an island claims a pixel once
    Claim one = claims.near[k++];
    for (; k < claims.near.size() && claims.near[k].y == one.y && claims.near[k].island == one.island &&
           claims.near[k].x0 <= one.x1;
         ++k)
      one.x1 = std::max(one.x1, claims.near[k].x1);
    add(one, 1);
  }
  std::ranges::sort(ends, {}, [](const End& end) { return std::tuple(end.y, end.x); });
  return ends;
}

}  // namespace

MarginRuns margin_runs(const IslandPixels& islands, Shape image) {
  MarginRuns made{{image, {}}, {}};
  std::vector<std::int32_t> number(islands.label.size(), 0);
  const std::vector<End> ends = ends_of(claims_of(islands, image));
  std::int64_t claims = 0, island = 0;
  for (std::size_t k = 0; k < ends.size();) {
    const End& here = ends[k];
    for (; k < ends.size() && ends[k].y == here.y && ends[k].x == here.x; ++k)
      claims += ends[k].claims, island += ends[k].island;
    if (claims != 1) continue;
    const auto entry = static_cast<std::size_t>(island);
    if (number[entry] == 0) {
      made.island.push_back(islands.label[entry]);
      number[entry] = static_cast<std::int32_t>(made.island.size());
    }
    made.runs.runs.push_back({here.y, here.x, ends[k].x, number[entry]});
  }
  return made;
}

IslandPixels island_margins(Backend& backend, const Plane& plane, const BackgroundModel& background,
                            const IslandPixels& islands, const DetectOptions& options, const Job& job) {
  return pixels_of_runs(backend, plane, background, margin_runs(islands, plane.shape()), options, job);
}

IslandPixels pixels_of_runs(Backend& backend, const Plane& plane, const BackgroundModel& background,
                            const MarginRuns& margins, const DetectOptions& options, const Job& job) {
  IslandPixels made;
  if (margins.runs.runs.empty()) return made;
  const std::unique_ptr<IslandMap> map = backend.islands_of(margins.runs, options, job);
  const IslandPixels got = backend.island_pixels(plane, background, *map, 1, job);
  std::vector<std::size_t> order(got.label.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::ranges::sort(order, {}, [&](std::size_t k) { return margins.island[k]; });
  for (const std::size_t k : order) {
    for (auto p = static_cast<std::size_t>(got.first[k]); p < static_cast<std::size_t>(got.first[k + 1]); ++p) {
      if (!std::isfinite(got.pixel[p]) || !std::isfinite(got.mean[p]) || !(got.rms[p] > 0)) continue;
      made.y.push_back(got.y[p]), made.x.push_back(got.x[p]);
      made.pixel.push_back(got.pixel[p]), made.mean.push_back(got.mean[p]), made.rms.push_back(got.rms[p]);
    }
    made.label.push_back(margins.island[k]);
    made.first.push_back(static_cast<std::int64_t>(made.y.size()));
  }
  return made;
}

}  // namespace reber
