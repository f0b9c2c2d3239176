// SPDX-License-Identifier: BSD-3-Clause
// Pairs by chains of nearest neighbours, and the statistics of pairs.
#include "core/studies/match.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/base/error.hpp"
#include "core/studies/place_tree.hpp"

namespace reber {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kDegrees = 180 / std::numbers::pi;
constexpr double kArcsec = 3600;

double median_of(std::vector<double> values) {
  if (values.empty()) return kNan;
  const std::size_t half = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(half), values.end());
  const double upper = values[half];
  if (values.size() % 2 == 1) return upper;
  return 0.5 * (upper + *std::max_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(half)));
}

std::vector<double> finite(std::vector<double> values) {
  std::erase_if(values, [](double v) { return !std::isfinite(v); });
  return values;
}

double at(const std::vector<double>& values, std::int64_t row) {
  return values.empty() ? kNan : values[static_cast<std::size_t>(row)];
}

/// A list's extent; longitudes are taken from a meridian near its middle, so that 0 h cuts no list in two.
struct Box {
  double low_lon = 360, high_lon = -360, low_lat = 90, high_lat = -90;
};

double middle_lon(const std::vector<double>& lon) {
  double x = 0, y = 0;
  for (const double value : lon) {
    if (!std::isfinite(value)) continue;
    x += std::cos(value / kDegrees);
    y += std::sin(value / kDegrees);
  }
  return std::atan2(y, x) * kDegrees;
}

Box box_of(const SkyList& list, double meridian, double margin) {
  Box box;
  for (std::size_t i = 0; i < list.lon.size(); ++i) {
    if (!std::isfinite(list.lon[i])) continue;
    const double lon = std::remainder(list.lon[i] - meridian, 360);
    const double wide = margin / std::max(1e-3, std::cos(list.lat[i] / kDegrees));
    box.low_lon = std::min(box.low_lon, lon - wide), box.high_lon = std::max(box.high_lon, lon + wide);
    box.low_lat = std::min(box.low_lat, list.lat[i] - margin),
    box.high_lat = std::max(box.high_lat, list.lat[i] + margin);
  }
  return box;
}

std::int64_t count_in(const SkyList& list, double meridian, const Box& box) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < list.lon.size(); ++i) {
    const double lon = std::remainder(list.lon[i] - meridian, 360), lat = list.lat[i];
    if (lon >= box.low_lon && lon <= box.high_lon && lat >= box.low_lat && lat <= box.high_lat) ++count;
  }
  return count;
}

Box overlap(const Box& p, const Box& q) {
  return {std::max(p.low_lon, q.low_lon), std::min(p.high_lon, q.high_lon), std::max(p.low_lat, q.low_lat),
          std::min(p.high_lat, q.high_lat)};
}

std::int64_t placed(const SkyList& list) {
  return std::ranges::count_if(list.lon, [](double lon) { return std::isfinite(lon); });
}

/// Square degrees of a box.
double area_of(const Box& box) {
  if (!(box.low_lon < box.high_lon) || !(box.low_lat < box.high_lat)) return 0;
  return (box.high_lon - box.low_lon) * (std::sin(box.high_lat / kDegrees) - std::sin(box.low_lat / kDegrees)) *
         kDegrees;
}

/// Pairs of two lists by a chain: from a row to the nearest of the other list, and on from there, each step shorter
/// than the last, until two rows are each other's nearest. They are a pair, whichever pairs come before it.
///   nearest-neighbour chains        (Murtagh 1983, Comput. J. 26, 354)
class Chain {
 public:
  Chain(PlaceTree& a, PlaceTree& b, double limit) : lists_{&a, &b}, limit_(limit) {}

  template <class Pair>
  void pairs(const Progress& progress, Pair pair) {
    for (const std::int64_t row : lists_[0]->rows()) {
      if (!lists_[0]->has(row)) continue;
      chain_.assign(1, row);
      while (!chain_.empty()) {
        if ((++steps_ & 0x3ff) == 0) progress.check();
        step(pair);
      }
    }
  }

 private:
  template <class Pair>
  void step(Pair& pair) {
    const std::size_t own = (chain_.size() - 1) % 2;
    PlaceTree &list = *lists_[own], &other = *lists_[1 - own];
    const std::int64_t row = chain_.back();
    const auto near = other.nearest(list.place(row), limit_);
    if (!near) {
      list.strike(row);
      return chain_.pop_back();
    }
    const bool mutual = chain_.size() > 1 && chain_[chain_.size() - 2] == near->row;
    if (!mutual) return chain_.push_back(near->row);
    list.strike(row);
    other.strike(near->row);
    own == 0 ? pair(row, near->row, near->chord2) : pair(near->row, row, near->chord2);
    chain_.resize(chain_.size() - 2);
  }

  std::array<PlaceTree*, 2> lists_;
  double limit_;
  std::vector<std::int64_t> chain_;  ///< rows of the first list and of the second in turn
  std::size_t steps_ = 0;
};

std::vector<MatchPair> match_places(PlaceTree& a, PlaceTree& b, double radius_deg, const Progress& progress) {
  if (!(radius_deg > 0 && radius_deg <= 180))
    throw InputError(fmt::format("a matching radius of {:g} degrees is not between 0 and 180", radius_deg));
  const double half = 2 * std::sin(radius_deg / kDegrees / 2);
  a.restore();
  b.restore();
  std::vector<MatchPair> pairs;
  Chain(a, b, half * half).pairs(progress, [&](std::int64_t row_a, std::int64_t row_b, double chord2) {
    pairs.push_back({row_a, row_b, 2 * std::asin(std::min(1.0, std::sqrt(chord2) / 2)) * kDegrees});
  });
  std::ranges::sort(pairs, {}, &MatchPair::a);
  return pairs;
}

/// Pairs that the lists would make if they had nothing in common.
void count_chance(const SkyList& a, PlaceTree& b, double radius, MatchSummary& summary, const Progress& progress) {
  constexpr int kShifts = 8;
  constexpr double kShiftInRadii = 10;
  double sum = 0, sum2 = 0;
  for (int k = 0; k < kShifts; ++k) {
    const double angle = 2 * std::numbers::pi * k / kShifts, shift = kShiftInRadii * radius;
    std::vector<double> lon = a.lon, lat = a.lat;
    for (std::size_t i = 0; i < lon.size(); ++i) {
      // Towards the equator where the shift would cross a pole.
      const double up = shift * std::sin(angle), moved = lat[i] + up;
      lat[i] = std::abs(moved) <= 90 ? moved : lat[i] - up;
      lon[i] += shift * std::cos(angle) / std::max(1e-3, std::cos(lat[i] / kDegrees));
    }
    PlaceTree moved_a(lon, lat, progress);
    const auto found = static_cast<double>(match_places(moved_a, b, radius, progress).size());
    sum += found, sum2 += found * found;
  }
  summary.chance = sum / kShifts;
  summary.e_chance = std::sqrt(std::max(0.0, sum2 / kShifts - summary.chance * summary.chance) / (kShifts - 1));
  const auto common = static_cast<double>(summary.common_a), pairs = static_cast<double>(summary.pairs.size());
  const double p = common > 0 ? std::min(1.0, summary.chance / common) : 0;
  summary.expected_false = p < 1 ? std::clamp(pairs - (pairs - p * common) / (1 - p), 0.0, pairs) : pairs;
}

void add_flux(const std::vector<double>& fa, const std::vector<double>& ea, const std::vector<double>& fb,
              const std::vector<double>& eb, const MatchPair& pair, std::vector<double>& ratio,
              std::vector<double>& pull) {
  const double p = at(fa, pair.a), q = at(fb, pair.b);
  ratio.push_back(q > 0 ? p / q : kNan);
  pull.push_back((p - q) / std::hypot(at(ea, pair.a), at(eb, pair.b)));
}

PairValues values_of(const SkyList& a, const SkyList& b, const std::vector<MatchPair>& pairs) {
  PairValues out;
  for (const MatchPair& pair : pairs) {
    const double lat = at(a.lat, pair.a);
    // The offset's direction at a's place; its length is the great circle's.
    const double dl = (at(b.lon, pair.b) - at(a.lon, pair.a)) / kDegrees;
    const double cb = std::cos(at(b.lat, pair.b) / kDegrees), half = std::sin(dl / 2);
    // cos a sin b - sin a cos b cos dl, written so that small distances keep their digits.
    const double east = cb * std::sin(dl);
    const double north =
        std::sin((at(b.lat, pair.b) - lat) / kDegrees) + 2 * std::sin(lat / kDegrees) * cb * half * half;
    const double length = std::hypot(east, north);
    const double scale = length > 0 ? pair.separation_deg / length * kArcsec : 0;
    out.d_lon.push_back(east * scale);
    out.d_lat.push_back(north * scale);
    out.pull_lon.push_back(out.d_lon.back() / kArcsec / std::hypot(at(a.e_lon, pair.a), at(b.e_lon, pair.b)));
    out.pull_lat.push_back(out.d_lat.back() / kArcsec / std::hypot(at(a.e_lat, pair.a), at(b.e_lat, pair.b)));
    add_flux(a.total, a.e_total, b.total, b.e_total, pair, out.total_ratio, out.total_pull);
    add_flux(a.peak, a.e_peak, b.peak, b.e_peak, pair, out.peak_ratio, out.peak_pull);
    const double snr = at(a.snr, pair.a);
    out.snr.push_back(std::isfinite(snr) ? snr : at(b.snr, pair.b));
  }
  return out;
}

}  // namespace

std::vector<MatchPair> match_sky(const std::vector<double>& lon_a, const std::vector<double>& lat_a,
                                 const std::vector<double>& lon_b, const std::vector<double>& lat_b, double radius_deg,
                                 const Progress& progress) {
  PlaceTree a(lon_a, lat_a, progress), b(lon_b, lat_b, progress);
  return match_places(a, b, radius_deg, progress);
}

Spread spread_of(std::vector<double> values) {
  values = finite(std::move(values));
  Spread spread;
  spread.count = static_cast<std::int64_t>(values.size());
  if (values.empty()) return spread;
  spread.median = median_of(values);
  for (double& value : values) value = std::abs(value - spread.median);
  spread.scatter = 1.4826 * median_of(std::move(values));
  spread.e_median = 1.2533 * spread.scatter / std::sqrt(static_cast<double>(spread.count));
  return spread;
}

MatchRadius default_radius(const SkyList& a, const SkyList& given_b) {
  const SkyList b = in_frame_of(given_b, a);
  constexpr double kWithoutAnything = 5, kErrors = 5, kMostChance = 0.05;
  const double size_a = median_of(finite(a.major)), size_b = median_of(finite(b.major));
  const auto known = [](double value) { return std::isfinite(value) ? value : 0.0; };
  const double error = std::hypot(known(median_of(finite(a.e_lon))), known(median_of(finite(b.e_lon))));
  MatchRadius radius{kWithoutAnything / kArcsec, "neither list has sizes or errors"};
  if (std::isfinite(size_a) || std::isfinite(size_b)) {
    const bool first = !(size_b > size_a) && std::isfinite(size_a);
    radius = {0.5 * (first ? size_a : size_b), fmt::format("half the median FWHM of {}, {:.3g} arcsec",
                                                           first ? "A" : "B", (first ? size_a : size_b) * kArcsec)};
  } else if (error > 0) {
    radius = {kErrors * error,
              fmt::format("{:g} times the median position error of both, {:.3g} arcsec", kErrors, error * kArcsec)};
  }
  const double meridian = middle_lon(b.lon);
  const Box box = overlap(box_of(a, meridian, radius.deg), box_of(b, meridian, radius.deg));
  const auto most = static_cast<double>(std::max(count_in(a, meridian, box), count_in(b, meridian, box)));
  const double crowded = most > 1 ? std::sqrt(kMostChance * area_of(box) / (std::numbers::pi * most)) : radius.deg;
  if (crowded > 0 && crowded < radius.deg)
    radius = {crowded, fmt::format("within which one source in {:g} has a chance neighbour; {} would hold more",
                                   1 / kMostChance, radius.reason)};
  return radius;
}

MatchSummary match_lists(const SkyList& a, const SkyList& given_b, double radius_deg, const Progress& progress) {
  const SkyList b = in_frame_of(given_b, a);
  MatchSummary summary;
  summary.rows_a = placed(a), summary.rows_b = placed(b);
  PlaceTree tree_a(a.lon, a.lat, progress), tree_b(b.lon, b.lat, progress);
  summary.pairs = match_places(tree_a, tree_b, radius_deg, progress);
  const double meridian = middle_lon(b.lon);
  const Box common = overlap(box_of(a, meridian, radius_deg), box_of(b, meridian, radius_deg));
  summary.common_a = count_in(a, meridian, common), summary.common_b = count_in(b, meridian, common);
  summary.values = values_of(a, b, summary.pairs);
  const PairValues& values = summary.values;
  std::vector<double> separations;
  for (const MatchPair& pair : summary.pairs) separations.push_back(pair.separation_deg * kArcsec);
  summary.separation = spread_of(std::move(separations));
  summary.d_lon = spread_of(values.d_lon), summary.d_lat = spread_of(values.d_lat);
  summary.pull_lon = spread_of(values.pull_lon), summary.pull_lat = spread_of(values.pull_lat);
  summary.total_ratio = spread_of(values.total_ratio), summary.peak_ratio = spread_of(values.peak_ratio);
  summary.total_pull = spread_of(values.total_pull), summary.peak_pull = spread_of(values.peak_pull);
  count_chance(a, tree_b, radius_deg, summary, progress);
  return summary;
}

}  // namespace reber
