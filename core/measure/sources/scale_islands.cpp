// SPDX-License-Identifier: BSD-3-Clause
// Labels on the host, of pixels that an island of scales has already gathered.
#include "core/measure/sources/scale_islands.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <unordered_map>

#include "core/base/significance.hpp"
#include "core/measure/sources/fit_parts.hpp"
#include "core/measure/sources/island_rest.hpp"

namespace reber {
namespace {

/// Pixel less background, positive for what is looked for.
double above(const IslandPixels& all, std::size_t p, bool negative) {
  const float difference = all.pixel[p] - all.mean[p];
  return negative ? -difference : difference;
}

/// Never where the noise is zero or unknown, as in the image by itself.
bool over(const IslandPixels& all, std::size_t p, bool negative, double threshold) {
  if (!(all.rms[p] > 0)) return false;
  const float snr = (all.pixel[p] - all.mean[p]) / all.rms[p];
  return static_cast<double>(negative ? -snr : snr) > threshold;
}

/// Roots of connected pixels above the flood threshold, of pixels [first, last); those below stand for themselves.
class Forest {
 public:
  Forest(const IslandPixels& all, std::size_t first, std::size_t last, const DetectOptions& options)
      : first_(first), parent_(last - first) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
    const std::int32_t reach = options.connectivity == Connectivity::eight ? 1 : 0;
    std::size_t row = first, before = first, before_end = first;
    for (std::size_t p = first; p < last; ++p) {
      if (p > first && all.y[p] != all.y[p - 1]) before = row, before_end = p, row = p;
      if (!over(all, p, options.negative, options.flood)) continue;
      const auto joins = [&](std::size_t q) {
        if (over(all, q, options.negative, options.flood)) join(p - first_, q - first_);
      };
      if (p > row && all.x[p - 1] + 1 == all.x[p]) joins(p - 1);
      if (before_end != row || all.y[before] + 1 != all.y[p]) continue;
      const auto begin = all.x.begin() + static_cast<std::ptrdiff_t>(before);
      const auto end = all.x.begin() + static_cast<std::ptrdiff_t>(before_end);
      for (auto at = std::lower_bound(begin, end, all.x[p] - reach); at != end && *at <= all.x[p] + reach; ++at)
        joins(static_cast<std::size_t>(at - all.x.begin()));
    }
  }
  std::size_t root(std::size_t p) {
    while (parent_[p] != p) p = parent_[p] = parent_[parent_[p]];
    return p;
  }

 private:
  void join(std::size_t a, std::size_t b) {
    a = root(a), b = root(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }
  std::size_t first_;
  std::vector<std::size_t> parent_;
};

void add_to(IslandSums& sums, const IslandPixels& all, std::size_t p, bool negative) {
  const double value = above(all, p, negative);
  if (sums.npix == 0) {
    sums.first_y = sums.y0 = all.y[p], sums.first_x = sums.x0 = all.x[p];
    sums.peak_y = sums.y0 - 1;
  }
  const double best = negative ? -(sums.peak - sums.peak_mean) : sums.peak - sums.peak_mean;
  // The brightest pixel whose noise is known, if there is one.
  const bool known = all.rms[p] > 0, knew = sums.peak_rms > 0;
  if (sums.npix == 0 || (known && !knew) || (known == knew && value > best)) {
    sums.peak_y = all.y[p], sums.peak_x = all.x[p];
    sums.peak = all.pixel[p], sums.peak_mean = all.mean[p], sums.peak_rms = all.rms[p];
  }
  const double dx = all.x[p] - sums.first_x, dy = all.y[p] - sums.first_y;
  ++sums.npix;
  sums.x0 = std::min(sums.x0, all.x[p]), sums.x1 = std::max(sums.x1, all.x[p] + 1), sums.y1 = all.y[p] + 1;
  sums.s += value, sums.sx += value * dx, sums.sy += value * dy;
  sums.sxx += value * dx * dx, sums.sxy += value * dx * dy, sums.syy += value * dy * dy;
}

/// Rows of each island of scales, by its label.
std::unordered_map<std::int64_t, std::vector<std::size_t>> by_island(const std::vector<SourceRow>& rows) {
  std::unordered_map<std::int64_t, std::vector<std::size_t>> of;
  for (std::size_t k = 0; k < rows.size(); ++k) of[rows[k].island].push_back(k);
  return of;
}

}  // namespace

IslandSums sums_of(const IslandPixels& all, std::size_t which, bool negative) {
  IslandSums sums;
  for (std::int64_t p = all.first[which]; p < all.first[which + 1]; ++p)
    add_to(sums, all, static_cast<std::size_t>(p), negative);
  return sums;
}

InnerIslands inner_islands(const IslandPixels& outer, const DetectOptions& options) {
  InnerIslands inner;
  for (std::size_t i = 0; i < outer.label.size(); ++i) {
    const auto first = static_cast<std::size_t>(outer.first[i]), last = static_cast<std::size_t>(outer.first[i + 1]);
    Forest forest(outer, first, last, options);
    // A root is the first pixel of its island: the order of roots is that of the islands.
    std::vector<std::vector<std::size_t>> members(last - first);
    for (std::size_t p = first; p < last; ++p)
      if (over(outer, p, options.negative, options.flood)) members[forest.root(p - first)].push_back(p);
    for (const std::vector<std::size_t>& island : members) {
      if (island.empty() || static_cast<std::int64_t>(island.size()) < options.min_area ||
          std::ranges::none_of(island, [&](std::size_t p) { return over(outer, p, options.negative, options.seed); }))
        continue;
      IslandSums sums;
      for (const std::size_t p : island) {
        add_to(sums, outer, p, options.negative);
        inner.pixels.y.push_back(outer.y[p]), inner.pixels.x.push_back(outer.x[p]);
        inner.pixels.pixel.push_back(outer.pixel[p]), inner.pixels.mean.push_back(outer.mean[p]);
        inner.pixels.rms.push_back(outer.rms[p]);
      }
      inner.sums.push_back(sums);
      inner.outer.push_back(outer.label[i]);
      inner.pixels.label.push_back(static_cast<std::int64_t>(inner.sums.size()));
      inner.pixels.first.push_back(static_cast<std::int64_t>(inner.pixels.x.size()));
    }
  }
  return inner;
}

void move_outward(std::vector<SourceRow>& rows, const InnerIslands& inner, const IslandPixels& outer,
                  const DetectOptions& options) {
  for (SourceRow& row : rows) row.island = inner.outer[static_cast<std::size_t>(row.island - 1)];
  const auto of = by_island(rows);
  for (std::size_t i = 0; i < outer.label.size(); ++i) {
    const auto found = of.find(outer.label[i]);
    if (found == of.end()) continue;
    const IslandSums whole = sums_of(outer, i, options.negative);
    for (const std::size_t k : found->second) {
      rows[k].whole_npix = whole.npix, rows[k].whole_s = whole.s;
      rows[k].shared = rows[k].shared || found->second.size() > 1;
    }
  }
}

void add_scale_rows(std::vector<SourceRow>& rows, const IslandPixels& outer, const DetectOptions& options, double area,
                    std::span<const std::int64_t> waves, const FittedRows* fitted) {
  const auto of = by_island(rows);
  for (std::size_t i = 0; i < outer.label.size(); ++i) {
    const auto found = of.find(outer.label[i]);
    const auto label = static_cast<std::size_t>(outer.label[i]);
    const std::int64_t wave = label <= waves.size() ? waves[label - 1] : 0;
    if (found == of.end()) {
      const IslandSums sums = sums_of(outer, i, options.negative);
      if (!(sums.peak_rms > 0 && sums.s > kClear * error_of_sum(sums.npix, sums.peak_rms, area))) continue;
      rows.push_back({sums, outer.label[i], false, false, sums.npix, sums.s, wave});
      if (fitted != nullptr) rows.back().fit.flag = kFlagNotFitted;
      continue;
    }
    if (SourceRow& one = rows[found->second.front()];
        fitted != nullptr && found->second.size() == 1 && fitted->is_sum(one)) {
      one.sums = sums_of(outer, i, options.negative);
      continue;
    }
    std::vector<SourceRow> its;
    for (const std::size_t k : found->second) its.push_back(rows[k]);
    const FitPixels around =
        fitted != nullptr ? pixels_of_label(fitted->around, outer.label[i], options.negative) : FitPixels();
    const auto rest = rest_of(its, pixels_of(outer, i, options.negative), area, kClear, around);
    if (!rest || !(rest->sums.peak_rms > 0)) continue;
    for (const std::size_t k : found->second) rows[k].shared = true;
    rows.push_back(*rest);
    rows.back().wave = wave;
    if (fitted == nullptr) rows.back().fit.flag = 0;
  }
  std::ranges::stable_sort(rows, {}, &SourceRow::island);
}

}  // namespace reber
