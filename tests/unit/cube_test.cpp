// SPDX-License-Identifier: BSD-3-Clause
// Planes of cubes: lists of them, the walk that reads ahead, the joined table.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <mutex>
#include <thread>

#include "core/base/error.hpp"
#include "core/run/cube/joined_catalogue.hpp"
#include "core/run/cube/plane_list.hpp"
#include "core/run/cube/plane_runs.hpp"
#include "core/run/cube/plane_walk.hpp"
#include "core/sky/model/rectangle_source.hpp"
#include "kernels/backends.hpp"
#include "tests/unit/fits_files.hpp"

namespace reber {
namespace {

using List = std::vector<std::int64_t>;

TEST(PlaneList, NamesPlanesWithBothEnds) {
  EXPECT_EQ(parse_planes("all", 3), (List{0, 1, 2}));
  EXPECT_EQ(parse_planes("0:2", 8), (List{0, 1, 2}));
  EXPECT_EQ(parse_planes("6:", 8), (List{6, 7}));
  EXPECT_EQ(parse_planes(":1", 8), (List{0, 1}));
  EXPECT_EQ(parse_planes("7,0,3", 8), (List{0, 3, 7}));
  EXPECT_EQ(parse_planes("2:4,3:5,3", 8), (List{2, 3, 4, 5}));
}

TEST(PlaneList, RefusesWhatIsNoPlane) {
  for (const char* text :
       {"", "8", "-1", "0:8", "4:2", ":", "1:2:3", "a", "1,", ",1", " 1", "1.5", "99999999999999999999"})
    EXPECT_THROW((void)parse_planes(text, 8), InputError) << text;
}

/// A cube whose pixel (plane, y, x) is 100 plane + 10 y + x, with axes in either order; plane 1 of both is blank.
std::string cube_file(const std::string& order) {
  std::vector<std::string> cards{"SIMPLE  =                    T", "BITPIX  =                  -32",
                                 "NAXIS   =                    3"};
  const auto size = [](char axis) { return axis == 'x' ? 5 : axis == 'y' ? 4 : 3; };
  for (int i = 0; i < 3; ++i)
    cards.push_back("NAXIS" + std::to_string(i + 1) + "  = " +
                    std::to_string(size(order[static_cast<std::size_t>(i)])));
  for (int i = 0; i < 3; ++i) {
    const char axis = order[static_cast<std::size_t>(i)];
    const std::string n = std::to_string(i + 1);
    cards.push_back("CTYPE" + n + "  = " + (axis == 'x' ? "'RA---SIN'" : axis == 'y' ? "'DEC--SIN'" : "'FREQ    '"));
    cards.push_back("CRVAL" + n + "  = " + (axis == 'f' ? "1.4E9" : "10.0"));
    cards.push_back("CRPIX" + n + "  = 1.0");
    cards.push_back("CDELT" + n + "  = " + (axis == 'f' ? "1.0E6" : "0.001"));
  }
  std::vector<float> values;
  std::array<int, 3> at{};
  const auto position = [&](char axis) { return at.at(order.find(axis)); };
  for (at[2] = 0; at[2] < size(order[2]); ++at[2])
    for (at[1] = 0; at[1] < size(order[1]); ++at[1])
      for (at[0] = 0; at[0] < size(order[0]); ++at[0]) {
        const int plane = position('f');
        values.push_back(plane == 1 ? std::nanf("")
                                    : static_cast<float>(100 * plane + 10 * position('y') + position('x')));
      }
  return testing_files::header(cards) + testing_files::data_blocks(values);
}

/// Whether reading ahead is on, off, or of a file in memory, planes come in the order asked for, with their own header.
TEST(PlaneWalk, GivesThePlanesOfAnyOrderOfAxes) {
  const testing_files::TemporaryFolder folder;
  for (const std::string order : {"xyf", "fxy", "xfy"}) {
    const std::string path = folder.file(order + ".fits");
    testing_files::save(path, cube_file(order));
    const CubeSource cube = CubeSource::open(path, {});
    EXPECT_EQ(cube.planes(), 3);
    for (const auto& [ahead, in_place] :
         {std::pair{std::int64_t{0}, false}, {PlaneWalk::kAheadBytes, false}, {PlaneWalk::kAheadBytes, true}}) {
      PlaneWalk walk(cube, {2, 0, 1}, ahead, in_place);
      for (const std::int64_t number : {2, 0, 1}) {
        const auto plane = walk.next({});
        ASSERT_TRUE(plane);
        EXPECT_EQ(plane->plane, number);
        EXPECT_EQ(plane->header->plane, number);
        EXPECT_DOUBLE_EQ(plane->header->wcs.frequency_hz(), 1.4e9 + 1e6 * static_cast<double>(number));
        EXPECT_EQ(all_blank(*plane->pixels), number == 1);
        // A copy in memory reads rows alone.
        const bool left = plane->pixels->rectangle_source() != nullptr;
        EXPECT_EQ(left, ahead == 0 || (in_place && order[0] == 'x')) << order;
        const std::vector<double> pixels = decode_doubles(*plane->pixels);
        ASSERT_EQ(pixels.size(), 20U);
        if (number == 1) continue;
        EXPECT_EQ(pixels[7], 100.0 * static_cast<double>(number) + 12) << order << ahead;
      }
      EXPECT_FALSE(walk.next({}));
    }
  }
}

TEST(PlaneWalk, StopsWhileAPlaneIsAwaited) {
  const testing_files::TemporaryFolder folder;
  testing_files::save(folder.file("a.fits"), cube_file("xyf"));
  std::atomic<bool> stop{false};
  const Progress progress({}, &stop);
  PlaneWalk walk(CubeSource::open(folder.file("a.fits"), {}), {0, 1, 2});
  EXPECT_TRUE(walk.next(progress));
  stop = true;
  EXPECT_THROW((void)walk.next(progress), Cancelled);
}

TEST(PlaneWalk, GoesOnAfterAPlaneThatCannotBeRead) {
  const testing_files::TemporaryFolder folder;
  testing_files::save(folder.file("a.fits"), cube_file("xyf"));
  PlaneWalk walk(CubeSource::open(folder.file("a.fits"), {}), {0, 7, 2});
  EXPECT_EQ(walk.next({})->plane, 0);
  EXPECT_THROW((void)walk.next({}), InputError);
  EXPECT_EQ(walk.next({})->plane, 2);
}

Catalogue table_of(List ids, bool judged, const std::string& line) {
  Catalogue table;
  const std::size_t rows = ids.size();
  table.columns.push_back({{"Source_id", "", "", ""}, std::move(ids)});
  if (judged) table.columns.push_back({{"Reliability", "", "", ""}, std::vector<double>(rows, 0.5)});
  table.columns.push_back({{"S_Code", "", "", ""}, std::vector<std::string>(rows, "S")});
  table.history = {"shared", line};
  return table;
}

TEST(JoinedCatalogue, KeepsRowsAndFillsColumnsThatAPlaneLacks) {
  ImageHeader header;
  JoinedCatalogue joined;
  header.plane = 1;
  joined.add(header, Beam{2, 1, 3}, table_of({0, 1}, false, "one"));
  header.plane = 4;
  joined.add(header, {}, table_of({0}, true, "four"));
  EXPECT_EQ(joined.rows(), 3);
  const Catalogue all = joined.take();
  EXPECT_EQ(all.rows(), 3);
  EXPECT_EQ(all.columns[0].info.name, "Plane");
  EXPECT_EQ(std::get<List>(all.find("Plane")->values), (List{1, 1, 4}));
  EXPECT_EQ(std::get<List>(all.find("Source_id")->values), (List{0, 1, 0}));
  const auto& major = std::get<std::vector<double>>(all.find("Beam_Maj")->values);
  EXPECT_EQ(major[1], 2);
  EXPECT_TRUE(std::isnan(major[2]));
  const auto& judged = std::get<std::vector<double>>(all.find("Reliability")->values);
  EXPECT_TRUE(std::isnan(judged[0]) && judged[2] == 0.5);
  EXPECT_EQ(all.columns[6].info.name, "Reliability");
  EXPECT_EQ(all.history, (std::vector<std::string>{"shared", "plane 1: one", "plane 4: four"}));
}

TEST(JoinedCatalogue, HasAFrequencyWhereAllPlanesShareIt) {
  const testing_files::TemporaryFolder folder;
  testing_files::save(folder.file("a.fits"), cube_file("xyf"));
  PlaneWalk walk(CubeSource::open(folder.file("a.fits"), {}), {0, 1});
  const auto first = walk.next({}), second = walk.next({});
  JoinedCatalogue same, apart;
  for (const auto* header : {first->header.get(), first->header.get()}) same.add(*header, {}, table_of({0}, false, ""));
  for (const auto* header : {first->header.get(), second->header.get()})
    apart.add(*header, {}, table_of({0}, false, ""));
  EXPECT_DOUBLE_EQ(same.take().frequency_hz, 1.4e9);
  EXPECT_TRUE(std::isnan(apart.take().frequency_hz));
}

/// Planes that a walk gave to `done`, in order, where the card fails `failures` times in plane 2.
List planes_run(const CubeSource& cube, int failures, const std::function<std::shared_ptr<Backend>()>& next) {
  PlaneWalk walk(cube, {0, 1, 2});
  List done;
  PlaneEvents told;
  told.done = [&](const CubePlane& plane, const Result& result) {
    EXPECT_NE(result.backend, nullptr);
    done.push_back(plane.plane);
    if (plane.plane == 2 && failures-- > 0) throw CardError(CardError::Kind::broken, "the card is gone");
  };
  if (next) told.card_failed = [&](const CardError&) { return next(); };
  run_planes({{make_backend("cpu", {}, LogSink())}}, walk, [](std::int64_t) { return Request(); }, told, {});
  return done;
}

TEST(PlaneRuns, RunAPlaneAgainOnTheBackendThatTakesOver) {
  const testing_files::TemporaryFolder folder;
  const std::string path = folder.file("cube.fits");
  testing_files::save(path, cube_file("xyf"));
  const CubeSource cube = CubeSource::open(path, {});
  const auto fresh = [] { return std::shared_ptr<Backend>(make_backend("reference", {}, LogSink())); };
  EXPECT_EQ(planes_run(cube, 0, fresh), (List{0, 2}));
  EXPECT_EQ(planes_run(cube, 1, fresh), (List{0, 2, 2}));
  EXPECT_EQ(planes_run(cube, 2, fresh), (List{0, 2, 2, 2}));
  EXPECT_THROW((void)planes_run(cube, 1, [] { return nullptr; }), CardError);
  EXPECT_THROW((void)planes_run(cube, 1, {}), CardError);
}

/// What lanes told of planes 0, 1 (blank) and 2 of a cube, in the order in which they told it.
struct Told {
  List done, skipped, made;
  int at_once = 0, most_at_once = 0;
};

Told lanes_run(const CubeSource& cube, const List& list, std::size_t lanes,
               const std::function<Request(std::int64_t)>& request_of, Told& told) {
  PlaneWalk walk(cube, list);
  std::mutex mutex;
  PlaneEvents events;
  events.made = [&](const CubePlane& plane, const Result&) {
    // The planes of one lane take long, so that the others are ahead of it.
    if (plane.plane == 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    const std::lock_guard lock(mutex);
    told.made.push_back(plane.plane);
    return [&told, number = plane.plane] { told.done.push_back(number); };
  };
  events.done = [&](const CubePlane& plane, const Result& result) {
    told.most_at_once = std::max(told.most_at_once, ++told.at_once);
    EXPECT_EQ(told.done.back(), plane.plane);
    EXPECT_EQ(result.header().plane, plane.plane);
    --told.at_once;
  };
  events.skipped = [&](std::int64_t plane, const std::string&) {
    told.skipped.push_back(static_cast<std::int64_t>(told.done.size()));
    EXPECT_EQ(plane, 1);
  };
  std::vector<PlaneLane> all;
  for (std::size_t i = 0; i < lanes; ++i) all.push_back({make_backend("cpu", {}, LogSink()), 1});
  run_planes(std::move(all), walk, request_of, events, {});
  return told;
}

TEST(PlaneRuns, LanesTellInTheOrderOfThePlanes) {
  const testing_files::TemporaryFolder folder;
  testing_files::save(folder.file("cube.fits"), cube_file("xyf"));
  const CubeSource cube = CubeSource::open(folder.file("cube.fits"), {});
  const List list{0, 2, 2, 1, 2, 0, 2, 2, 2, 1, 0, 2}, searched{0, 2, 2, 2, 0, 2, 2, 2, 0, 2};
  for (const std::size_t lanes : {1U, 2U, 5U}) {
    Told told;
    lanes_run(
        cube, list, lanes, [](std::int64_t) { return Request(); }, told);
    EXPECT_EQ(told.done, searched) << lanes;
    EXPECT_EQ(told.skipped, (List{3, 8})) << lanes;
    EXPECT_EQ(told.most_at_once, 1) << lanes;
    // Only where planes are worked on side by side does one overtake the slow first one.
    EXPECT_EQ(told.made == searched, lanes == 1) << lanes;
  }
}

TEST(PlaneRuns, AnErrorEndsTheLanesAfterThePlanesBeforeIt) {
  const testing_files::TemporaryFolder folder;
  testing_files::save(folder.file("cube.fits"), cube_file("xyf"));
  const CubeSource cube = CubeSource::open(folder.file("cube.fits"), {});
  const auto request_of = [](std::int64_t plane) {
    if (plane == 2) throw InputError("plane 2 is not wanted");
    return Request();
  };
  for (const std::size_t lanes : {1U, 3U}) {
    Told told;
    EXPECT_THROW((void)lanes_run(cube, {0, 0, 0, 2, 0, 0}, lanes, request_of, told), InputError);
    EXPECT_EQ(told.done, (List{0, 0, 0})) << lanes;
  }
}

TEST(PlaneRuns, APlaneWhoseDataAreBadIsToldInItsTurnAndTheOthersGoOn) {
  const testing_files::TemporaryFolder folder;
  testing_files::save(folder.file("cube.fits"), cube_file("xyf"));
  const CubeSource cube = CubeSource::open(folder.file("cube.fits"), {});
  for (const std::size_t lanes : {1U, 3U}) {
    PlaneWalk walk(cube, {0, 2, 0, 2, 0});
    List told;
    std::string words;
    PlaneEvents events;
    events.done = [&](const CubePlane& plane, const Result&) { told.push_back(plane.plane); };
    events.failed = [&](std::int64_t plane, const std::string& text) {
      told.push_back(-plane);
      words = text;
    };
    const auto request_of = [](std::int64_t plane) {
      if (plane == 2) throw DataError("damaged");
      return Request();
    };
    std::vector<PlaneLane> all;
    for (std::size_t i = 0; i < lanes; ++i) all.push_back({make_backend("cpu", {}, LogSink()), 1});
    run_planes(std::move(all), walk, request_of, events, {});
    EXPECT_EQ(told, (List{0, -2, 0, -2, 0})) << lanes;
    EXPECT_EQ(words, "damaged") << lanes;
  }
}

TEST(PlaneRuns, TheWishToStopEndsAllLanesAtOnce) {
  const testing_files::TemporaryFolder folder;
  testing_files::save(folder.file("cube.fits"), cube_file("xyf"));
  const CubeSource cube = CubeSource::open(folder.file("cube.fits"), {});
  const auto request_of = [](std::int64_t plane) {
    if (plane == 2) throw Cancelled();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return Request();
  };
  for (const std::size_t lanes : {1U, 3U}) {
    Told told;
    EXPECT_THROW((void)lanes_run(cube, {0, 2, 0, 0, 0, 0, 0}, lanes, request_of, told), Cancelled) << lanes;
    EXPECT_LT(told.done.size(), 2U) << lanes;
  }
  Told told;
  EXPECT_THROW((void)lanes_run(cube, {0}, 0, request_of, told), InternalError);
}

TEST(PlaneRuns, ALaneOfACardBeginsAnewByItself) {
  const testing_files::TemporaryFolder folder;
  testing_files::save(folder.file("cube.fits"), cube_file("xyf"));
  const CubeSource cube = CubeSource::open(folder.file("cube.fits"), {});
  PlaneWalk walk(cube, {0, 2, 0, 2});
  std::atomic<int> failures{0}, own{0};
  PlaneEvents told;
  told.made = [&](const CubePlane&, const Result&) -> std::function<void()> {
    if (failures++ < 2) throw CardError(CardError::Kind::broken, "no card");
    return {};
  };
  told.card_failed = [](const CardError&) -> std::shared_ptr<Backend> { return nullptr; };
  std::vector<PlaneLane> lanes;
  for (int k = 0; k < 2; ++k)
    lanes.push_back({make_backend("cpu", {}, LogSink()), 1, [&](const CardError&) {
                       ++own;
                       return std::shared_ptr<Backend>(make_backend("cpu", {}, LogSink()));
                     }});
  run_planes(std::move(lanes), walk, [](std::int64_t) { return Request(); }, told, {});
  EXPECT_EQ(own, 2);
}

TEST(PlaneRuns, LanesOfACardAreFewAndLeaveHalfOfIt) {
  constexpr std::int64_t kGibi = std::int64_t{1} << 30;
  EXPECT_EQ(card_lanes_of_planes({4096, 4096}, 100, 16, 100 * kGibi), 6);
  EXPECT_EQ(card_lanes_of_planes({4096, 4096}, 100, 8, 100 * kGibi), 3);
  EXPECT_EQ(card_lanes_of_planes({4096, 4096}, 2, 16, 100 * kGibi), 2);
  EXPECT_EQ(card_lanes_of_planes({4096, 4096}, 100, 4, 100 * kGibi), 2);
  EXPECT_EQ(card_lanes_of_planes({4096, 4096}, 100, 2, 100 * kGibi), 1);
  EXPECT_EQ(card_lanes_of_planes({20000, 20000}, 100, 16, 20 * kGibi), 2);  // 4.5 GB each of 10
  EXPECT_EQ(card_lanes_of_planes({20000, 20000}, 100, 16, kGibi), 1);
}

TEST(PlaneRuns, LanesAreAsManyAsThreadsPlanesAndMemoryAllow) {
  constexpr std::int64_t kGibi = std::int64_t{1} << 30;
  const Shape small{512, 512}, large{10240, 10240};
  EXPECT_EQ(lanes_of_planes(small, 32, 2, 0, 8 * kGibi), 3);
  EXPECT_EQ(lanes_of_planes(small, 32, 16, 0, 8 * kGibi), 20);
  EXPECT_EQ(lanes_of_planes(small, 3, 16, 0, 8 * kGibi), 3);
  EXPECT_EQ(lanes_of_planes(large, 32, 16, 0, 8 * kGibi), 3);      // 1.8 GB each of 6
  EXPECT_EQ(lanes_of_planes(small, 32, 16, kGibi, 8 * kGibi), 5);  // 181 MiB each, the program included
  EXPECT_EQ(lanes_of_planes(large, 32, 16, kGibi, 8 * kGibi), 1);
  EXPECT_EQ(lanes_of_planes(small, 32, 1, 0, 0), 1);
}

}  // namespace
}  // namespace reber
