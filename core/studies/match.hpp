// SPDX-License-Identifier: BSD-3-Clause
// Two lists of sources held against each other on the sky. Pure: no file, no clock, no thread.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "core/sky/model/sky_list.hpp"

namespace reber {

struct MatchPair {
  std::int64_t a = 0, b = 0;  ///< rows
  double separation_deg = 0;
};

/// Unique pairs within the radius: of all pairs the closest is taken, its two sources are struck off, and so on; equal
/// distances go by row. Distances are great-circle ones, poles and longitude 0 included. Sorted by `a`.
/// NaN positions match nothing. Time: that of sorting, however many sources the radius holds.
///   throws InputError where the radius is not positive; Cancelled
[[nodiscard]] std::vector<MatchPair> match_sky(const std::vector<double>& lon_a, const std::vector<double>& lat_a,
                                               const std::vector<double>& lon_b, const std::vector<double>& lat_b,
                                               double radius_deg, const Progress& progress = {});

/// Median of some values, their scatter 1.4826 x the median distance from it, and the median's error
/// 1.2533 scatter / sqrt(n). NaN where there are none.
struct Spread {
  std::int64_t count = 0;
  double median = std::numeric_limits<double>::quiet_NaN();
  double scatter = std::numeric_limits<double>::quiet_NaN();
  double e_median = std::numeric_limits<double>::quiet_NaN();
};
[[nodiscard]] Spread spread_of(std::vector<double> values);

struct MatchRadius {
  double deg = 0;
  std::string reason;  ///< "half the median FWHM ..."
};

/// Half the larger of the two median FWHMs: the same source is not told from another one closer than that. Without
/// sizes five times the median position errors of both together, without errors 5 arcsec. At most the radius within
/// which one source in twenty has a chance neighbour.
[[nodiscard]] MatchRadius default_radius(const SkyList& a, const SkyList& b);

/// One quantity of a pair and another, for plots. One entry per pair; NaN where it is not known.
struct PairValues {
  std::vector<double> d_lon, d_lat;             ///< b - a in arcsec on the sky
  std::vector<double> pull_lon, pull_lat;       ///< over the errors of both
  std::vector<double> total_ratio, peak_ratio;  ///< a / b
  std::vector<double> total_pull, peak_pull;    ///< (a - b) over the errors of both
  std::vector<double> snr;                      ///< of a, else of b
};

struct MatchSummary {
  std::int64_t rows_a = 0, rows_b = 0;      ///< with a position
  std::int64_t common_a = 0, common_b = 0;  ///< of them in the area that both lists cover
  std::vector<MatchPair> pairs;
  PairValues values;
  Spread d_lon, d_lat, separation;  ///< arcsec
  Spread pull_lon, pull_lat;
  Spread total_ratio, peak_ratio, total_pull, peak_pull;
  double chance = 0, e_chance = 0;  ///< matches of lists that have nothing in common: mean over eight shifts
  double expected_false = 0;        ///< of the pairs
};

/// Pairs and what they say. b is turned into a's frame, by which offsets are told; throws InputError where a frame is
/// not known.
///   chance: a's positions are shifted by 10 radii in eight directions and matched again. With p = chance / common_a
///   the false ones among M pairs are M - (M - p common_a) / (1 - p).
/// The common area is the overlap of the two lists' boxes in longitude and latitude.
[[nodiscard]] MatchSummary match_lists(const SkyList& a, const SkyList& b, double radius_deg,
                                       const Progress& progress = {});

}  // namespace reber
