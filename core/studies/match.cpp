// SPDX-License-Identifier: BSD-3-Clause
// Pairs by zones of latitude, and the statistics of pairs.
#include "core/studies/match.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <tuple>

#include "core/base/error.hpp"

namespace reber {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kDegrees = 180 / std::numbers::pi;
constexpr double kArcsec = 3600;
constexpr std::size_t kMostPairs = 100'000'000;
/// Zones flatter than this cost more in their table than they spare in distances.
constexpr double kLeastZoneDeg = 180.0 / (1 << 18);

struct Vector {
  double x, y, z;
};

Vector unit_vector(double lon, double lat) {
  const double c = std::cos(lat / kDegrees);
  return {c * std::cos(lon / kDegrees), c * std::sin(lon / kDegrees), std::sin(lat / kDegrees)};
}

/// |p - q|^2: precise for small distances, where the scalar product is not.
double chord2(const Vector& p, const Vector& q) {
  const double x = p.x - q.x, y = p.y - q.y, z = p.z - q.z;
  return x * x + y * y + z * z;
}

double wrapped(double lon) { return lon - 360 * std::floor(lon / 360); }

/// The second list, cut into zones of latitude.
class Zones {
 public:
  Zones(const std::vector<double>& lon, const std::vector<double>& lat, double radius)
      : radius_(radius), height_(std::max(radius, kLeastZoneDeg)) {
    for (std::size_t i = 0; i < std::min(lon.size(), lat.size()); ++i)
      if (std::isfinite(lon[i]) && std::isfinite(lat[i]))
        entries_.push_back(
            {zone_of(lat[i]), wrapped(lon[i]), static_cast<std::int64_t>(i), unit_vector(lon[i], lat[i])});
    std::ranges::sort(entries_, [](const Entry& p, const Entry& q) {
      return std::tie(p.zone, p.lon, p.row) < std::tie(q.zone, q.lon, q.row);
    });
    first_.assign(static_cast<std::size_t>(zone_of(90)) + 2, 0);
    for (const Entry& entry : entries_) ++first_[static_cast<std::size_t>(entry.zone) + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
  }

  /// Calls each(row, chord^2) for the entries within the radius of the place.
  template <class Each>
  void near(double lon, double lat, Each each) const {
    const Vector here = unit_vector(lon, lat);
    const double half = 2 * std::sin(radius_ / kDegrees / 2), limit = half * half;
    const double at = wrapped(lon), window = lon_window(lat);
    const std::int64_t low = zone_of(std::max(-90.0, lat - radius_)), high = zone_of(std::min(90.0, lat + radius_));
    const auto part = [&](std::int64_t zone, double from, double to) {
      const auto begin = entries_.begin() + first_[static_cast<std::size_t>(zone)];
      const auto end = entries_.begin() + first_[static_cast<std::size_t>(zone) + 1];
      auto entry = std::lower_bound(begin, end, from, [](const Entry& e, double value) { return e.lon < value; });
      for (; entry != end && entry->lon <= to; ++entry)
        if (const double d = chord2(here, entry->place); d <= limit) each(entry->row, d);
    };
    for (std::int64_t zone = low; zone <= high; ++zone) {
      if (window >= 180) {
        part(zone, 0, 360);
        continue;
      }
      part(zone, std::max(0.0, at - window), std::min(360.0, at + window));
      if (at - window < 0) part(zone, at - window + 360, 360);
      if (at + window > 360) part(zone, 0, at + window - 360);
    }
  }

 private:
  struct Entry {
    std::int64_t zone;
    double lon;
    std::int64_t row;
    Vector place;
  };

  [[nodiscard]] std::int64_t zone_of(double lat) const {
    return static_cast<std::int64_t>(std::floor((std::clamp(lat, -90.0, 90.0) + 90) / height_));
  }
  /// Largest difference in longitude within the radius: asin(sin r / cos lat); all of it where a pole is within reach.
  [[nodiscard]] double lon_window(double lat) const {
    if (!(std::abs(lat) + radius_ < 90)) return 180;
    constexpr double kRounding = 1e-9;
    return std::asin(std::min(1.0, std::sin(radius_ / kDegrees) / std::cos(lat / kDegrees))) * kDegrees + kRounding;
  }

  double radius_, height_;
  std::vector<Entry> entries_;
  std::vector<std::ptrdiff_t> first_;  ///< entry at which each zone begins
};

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

/// Pairs that the lists would make if they had nothing in common.
void count_chance(const SkyList& a, const SkyList& b, double radius, MatchSummary& summary) {
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
    const auto found = static_cast<double>(match_sky(lon, lat, b.lon, b.lat, radius).size());
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
                                 const std::vector<double>& lon_b, const std::vector<double>& lat_b,
                                 double radius_deg) {
  if (!(radius_deg > 0 && radius_deg <= 180))
    throw InputError(fmt::format("a matching radius of {:g} degrees is not between 0 and 180", radius_deg));
  const Zones zones(lon_b, lat_b, radius_deg);
  struct Candidate {
    double chord2;
    std::int64_t a, b;
  };
  std::vector<Candidate> near;
  for (std::size_t i = 0; i < std::min(lon_a.size(), lat_a.size()); ++i) {
    if (!std::isfinite(lon_a[i]) || !std::isfinite(lat_a[i])) continue;
    zones.near(lon_a[i], lat_a[i], [&](std::int64_t row, double d) {
      near.push_back({d, static_cast<std::int64_t>(i), row});
    });
    if (near.size() > kMostPairs)
      throw InputError(fmt::format("a matching radius of {:g} arcsec holds more than {} pairs; choose a smaller one",
                                   radius_deg * kArcsec, kMostPairs));
  }
  std::ranges::sort(near, [](const Candidate& p, const Candidate& q) {
    return std::tie(p.chord2, p.a, p.b) < std::tie(q.chord2, q.a, q.b);
  });
  std::vector<char> taken_a(lon_a.size()), taken_b(lon_b.size());
  std::vector<MatchPair> pairs;
  for (const Candidate& one : near) {
    char& a = taken_a[static_cast<std::size_t>(one.a)];
    char& b = taken_b[static_cast<std::size_t>(one.b)];
    if (a != 0 || b != 0) continue;
    a = b = 1;
    pairs.push_back({one.a, one.b, 2 * std::asin(std::min(1.0, std::sqrt(one.chord2) / 2)) * kDegrees});
  }
  std::ranges::sort(pairs, {}, &MatchPair::a);
  return pairs;
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

MatchSummary match_lists(const SkyList& a, const SkyList& given_b, double radius_deg) {
  const SkyList b = in_frame_of(given_b, a);
  MatchSummary summary;
  summary.rows_a = placed(a), summary.rows_b = placed(b);
  summary.pairs = match_sky(a.lon, a.lat, b.lon, b.lat, radius_deg);
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
  count_chance(a, b, radius_deg, summary);
  return summary;
}

}  // namespace reber
