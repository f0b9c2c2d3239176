// SPDX-License-Identifier: BSD-3-Clause
// Matching on the sky: against the plain double loop, at the poles and at 0 h, and its statistics.
#include "core/studies/match.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <set>
#include <tuple>

#include "core/base/error.hpp"
#include "tests/support/slower.hpp"
#include "tests/support/testing.hpp"

namespace reber {
namespace {

struct Places {
  std::vector<double> lon, lat;
};

/// Uniform in a box about (lon, lat), in degrees on the sky.
Places scattered(std::size_t count, double lon, double lat, double size, testing::Random& random) {
  Places places;
  for (std::size_t i = 0; i < count; ++i) {
    const double d = std::clamp(lat + size * (random.uniform() - 0.5), -90.0, 90.0);
    places.lat.push_back(d);
    places.lon.push_back(lon + size * (random.uniform() - 0.5) / std::max(1e-6, std::cos(d * M_PI / 180)));
  }
  return places;
}

/// Great-circle distance in degrees, by the formula that holds at all distances (Vincenty 1975).
double sky_distance_deg(double lon1, double lat1, double lon2, double lat2) {
  constexpr double kDegrees = 180 / M_PI;
  const double dl = (lon2 - lon1) / kDegrees, c1 = std::cos(lat1 / kDegrees), s1 = std::sin(lat1 / kDegrees);
  const double c2 = std::cos(lat2 / kDegrees), s2 = std::sin(lat2 / kDegrees);
  const double across = c2 * std::sin(dl), along = c1 * s2 - s1 * c2 * std::cos(dl);
  return std::atan2(std::hypot(across, along), s1 * s2 + c1 * c2 * std::cos(dl)) * kDegrees;
}

/// Every pair, closest first, each source once.
std::vector<std::pair<std::int64_t, std::int64_t>> by_double_loop(const Places& a, const Places& b, double radius) {
  std::vector<std::tuple<double, std::int64_t, std::int64_t>> near;
  for (std::size_t i = 0; i < a.lon.size(); ++i)
    for (std::size_t k = 0; k < b.lon.size(); ++k)
      if (const double d = sky_distance_deg(a.lon[i], a.lat[i], b.lon[k], b.lat[k]); d <= radius)
        near.emplace_back(d, i, k);
  std::ranges::sort(near);
  std::set<std::int64_t> taken_a, taken_b;
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  for (const auto& [d, i, k] : near)
    if (!taken_a.contains(i) && !taken_b.contains(k)) {
      pairs.emplace_back(i, k);
      taken_a.insert(i), taken_b.insert(k);
    }
  std::ranges::sort(pairs);
  return pairs;
}

TEST(Match, PairsAreThoseOfTheDoubleLoopEverywhereOnTheSphere) {
  testing::Random random(3);
  struct Field {
    double lon, lat, size, radius;
  };
  for (const Field& field :
       {Field{180, 0, 1, 0.02}, Field{0, 45, 1, 0.05}, Field{359.9, -60, 2, 0.03}, Field{12, 89.9, 0.4, 0.02},
        Field{200, -90, 1, 0.1}, Field{90, 10, 150, 20}, Field{10, 20, 1e-3, 1e-5}}) {
    SCOPED_TRACE(::testing::Message() << field.lon << " " << field.lat);
    const Places a = scattered(300, field.lon, field.lat, field.size, random);
    const Places b = scattered(400, field.lon, field.lat, field.size, random);
    const auto expected = by_double_loop(a, b, field.radius);
    const auto got = match_sky(a.lon, a.lat, b.lon, b.lat, field.radius);
    ASSERT_GT(expected.size(), 20U);
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(std::pair(got[i].a, got[i].b), expected[i]);
      const auto p = static_cast<std::size_t>(got[i].a), q = static_cast<std::size_t>(got[i].b);
      EXPECT_NEAR(got[i].separation_deg, sky_distance_deg(a.lon[p], a.lat[p], b.lon[q], b.lat[q]), 1e-12);
    }
  }
}

TEST(Match, PlacesWithoutPositionAndEmptyListsMatchNothing) {
  EXPECT_TRUE(match_sky({}, {}, {1}, {1}, 1).empty());
  EXPECT_TRUE(match_sky({1}, {1}, {}, {}, 1).empty());
  EXPECT_TRUE(match_sky({NAN, 1}, {1, NAN}, {1, 1}, {1, 1}, 0.5).empty());
  EXPECT_EQ(match_sky({361}, {1}, {1}, {1}, 1e-9).size(), 1U);
  EXPECT_THROW((void)match_sky({1}, {1}, {1}, {1}, 0), InputError);
  EXPECT_THROW((void)match_sky({1}, {1}, {1}, {1}, NAN), InputError);
}

SkyList list_of(const Places& places) {
  SkyList list;
  list.rows = static_cast<std::int64_t>(places.lon.size());
  list.lon = places.lon;
  list.lat = places.lat;
  list.frame = "ICRS";
  return list;
}

TEST(Match, OffsetsFluxesAndChancePairsAreThoseThatWerePutIn) {
  testing::Random random(9);
  const std::size_t count = 4000;
  const double error = 0.5 / 3600, east = 0.2 / 3600, north = -0.1 / 3600;
  const Places a = scattered(count, 359.99, 70, 2, random);
  SkyList one = list_of(a), two = list_of(a);
  for (SkyList* list : {&one, &two}) {
    list->e_lon.assign(count, error), list->e_lat.assign(count, error);
    list->e_total.assign(count, 0.02);
    list->snr.assign(count, 50);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const double c = std::cos(two.lat[i] * M_PI / 180);
    one.lon[i] += error * random.normal() / c, one.lat[i] += error * random.normal();
    two.lon[i] += (east + error * random.normal()) / c, two.lat[i] += north + error * random.normal();
    one.total.push_back(1.1 * (1 + 0.02 * random.normal()) + 0.0);
    two.total.push_back(1 + 0.02 * random.normal());
  }
  // Half of the second list has no partner.
  for (std::size_t i = 0; i < count; i += 2) two.lon[i] += 0.5 / std::cos(two.lat[i] * M_PI / 180);
  const MatchSummary summary = match_lists(one, two, 6.0 / 3600);
  EXPECT_EQ(summary.values.d_lon.size(), summary.pairs.size());
  EXPECT_NEAR(summary.d_lon.median, 0.2, 5 * summary.d_lon.e_median);
  EXPECT_NEAR(summary.d_lat.median, -0.1, 5 * summary.d_lat.e_median);
  EXPECT_NEAR(summary.d_lon.scatter, 0.5 * std::sqrt(2), 0.06);
  EXPECT_NEAR(summary.pull_lon.scatter, 1, 0.08);
  EXPECT_NEAR(summary.total_ratio.median, 1.1, 5 * summary.total_ratio.e_median);
  // pi r^2 n of the second list's density: 4000 sources in 4 square degrees.
  const double expected = static_cast<double>(count) * M_PI * std::pow(6.0 / 3600, 2) * 1000;
  EXPECT_NEAR(summary.chance, expected, 5 * std::sqrt(expected / 8) + 0.05 * expected);
  EXPECT_NEAR(summary.expected_false, expected / 2, 0.25 * expected);
  EXPECT_NEAR(static_cast<double>(summary.pairs.size()), 2000 + summary.expected_false, 15);
}

TEST(Match, MediansOfEvenNumbersLieHalfWay) {
  const double north[] = {0.1 / 3600, 0.2 / 3600, 0.4 / 3600, 0.8 / 3600};
  SkyList one = list_of({{10, 11, 12, 13}, {0, 0, 0, 0}}), two = one;
  for (std::size_t i = 0; i < 4; ++i) two.lat[i] += north[i];
  EXPECT_NEAR(match_lists(one, two, 1.0 / 3600).d_lat.median, 0.3, 1e-9);
  two.lat[3] += 1;
  EXPECT_NEAR(match_lists(one, two, 1.0 / 3600).d_lat.median, 0.2, 1e-9);
}

TEST(Match, RadiusFollowsSizesThenErrorsAndSparesCrowdedLists) {
  testing::Random random(4);
  SkyList sparse = list_of(scattered(100, 10, 0, 5, random));
  EXPECT_NEAR(default_radius(sparse, sparse).deg * 3600, 5, 1e-9);
  sparse.e_lon.assign(100, 1.0 / 3600);
  EXPECT_NEAR(default_radius(sparse, sparse).deg * 3600, 5 * std::sqrt(2), 1e-9);
  SkyList sized = sparse;
  sized.major.assign(100, 20.0 / 3600);
  EXPECT_NEAR(default_radius(sparse, sized).deg * 3600, 10, 1e-9);
  EXPECT_NE(default_radius(sparse, sized).reason.find("of B"), std::string::npos);
  SkyList crowded = list_of(scattered(20000, 10, 0, 1, random));
  crowded.major.assign(20000, 60.0 / 3600);
  EXPECT_NEAR(default_radius(crowded, crowded).deg, std::sqrt(0.05 / (M_PI * 20000)), 1e-4);
}

TEST(Match, ListsInDifferentFramesAreTurnedIntoEachOther) {
  const auto in = [](SkyList list, const std::string& frame) {
    list.frame = frame;
    list.system = system_named(frame);
    list.frame_assumed = false;
    return list;
  };
  const SkyList unstated = list_of({{1}, {1}}), icrs = in(unstated, "ICRS");
  EXPECT_TRUE(match_lists(icrs, in(icrs, "FK4 B1950"), 0.1).pairs.empty());  // .64 degrees of precession
  const SkyList turned = in_system(icrs, *system_named("FK4 B1950"));
  EXPECT_LT(match_lists(icrs, turned, 0.1).pairs.at(0).separation_deg, 1e-7);
  EXPECT_LT(match_lists(unstated, turned, 0.1).pairs.at(0).separation_deg, 1e-7);
  EXPECT_THROW((void)match_lists(icrs, in(icrs, "the frame of a ship"), 0.1), InputError);
  // Without a stated frame positions are ICRS or FK5 J2000, as the other list is; stated ones differ by 23 mas.
  const SkyList fk5 = in(icrs, "FK5 J2000");
  EXPECT_EQ(match_lists(unstated, fk5, 0.1).pairs.at(0).separation_deg, 0);
  EXPECT_EQ(match_lists(fk5, unstated, 0.1).pairs.at(0).separation_deg, 0);
  EXPECT_NEAR(match_lists(icrs, fk5, 0.1).pairs.at(0).separation_deg * 3.6e6, 23, 5);
}

/// Of equal places each pair is as near as any other: rows go by number. Pairs of all with all would be 9 x 10^8.
TEST(Match, ThousandsOfEqualPlacesCostNoMoreThanOthers) {
  constexpr std::size_t kPlaces = 30'000;
  const std::vector<double> lon(kPlaces, 10.0), lat(kPlaces, -30.0);
  const auto pairs = match_sky(lon, lat, lon, lat, 1.0 / 3600);
  ASSERT_EQ(pairs.size(), kPlaces);
  for (std::size_t i = 0; i < kPlaces; ++i) {
    ASSERT_EQ(pairs[i].a, pairs[i].b) << i;
    ASSERT_EQ(pairs[i].a, static_cast<std::int64_t>(i));
  }
}

TEST(Match, Stops) {
  testing::Random random(6);
  const Places a = scattered(20'000, 180, -30, 30, random);
  const std::atomic<bool> stop{true};
  EXPECT_THROW((void)match_sky(a.lon, a.lat, a.lon, a.lat, 0.1, Progress({}, &stop)), Cancelled);
}

/// 100 ms is the aim on one core of a quiet machine; ten times that still tells a method that does not scale.
TEST(Match, AHundredThousandSourcesMatchWithinASecond) {
  testing::Random random(5);
  const Places a = scattered(100'000, 180, -30, 30, random);
  Places b = a;
  for (std::size_t i = 0; i < b.lon.size(); ++i)
    b.lon[i] += 0.3 / 3600 * random.normal(), b.lat[i] += 0.3 / 3600 * random.normal();
  const auto start = std::chrono::steady_clock::now();
  const auto pairs = match_sky(a.lon, a.lat, b.lon, b.lat, 5.0 / 3600);
  const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  RecordProperty("match_ms", std::to_string(ms));
  EXPECT_GT(pairs.size(), 99'000U);
  EXPECT_LT(ms, 1000 * testing::kSlower) << "ms for 100,000 against 100,000";
}

}  // namespace
}  // namespace reber
