// SPDX-License-Identifier: BSD-3-Clause
// The session: what runs again, who wins, and that its answers are those of a plain run.
#include "core/run/live/live_run.hpp"
#include "core/run/live/display_desk.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <filesystem>
#include <mutex>

#include "core/run/live/display_tiles.hpp"
#include "kernels/backends.hpp"
#include "tests/support/shared_backend.hpp"
#include "tests/support/testing.hpp"
#include "tests/unit/live_run_fixture.hpp"

namespace reber::testing {
namespace {

TEST_F(LiveRunTest, a_threshold_alone_runs_detection_alone) {
  const auto live = session();
  ASSERT_TRUE(run(*live, request(10)));
  EXPECT_EQ(live->result()->stages_run, (Names{"read", "background", "detect", "measure"}));
  ASSERT_TRUE(run(*live, request(5)));
  EXPECT_EQ(live->result()->stages_run, (Names{"detect", "measure"}));
  EXPECT_EQ(live->result()->report.stages.size(), 4u) << "times of kept stages stay";
}

TEST_F(LiveRunTest, a_kernel_keeps_the_pixels_and_a_box_keeps_the_convolution) {
  const auto live = session();
  ASSERT_TRUE(run(*live, request(10)));
  Request smooth = request(10);
  smooth.convolve.emplace();
  smooth.convolve->kernel = GaussianPixels{3, 3, 0};
  ASSERT_TRUE(run(*live, smooth));
  EXPECT_EQ(live->result()->stages_run, (Names{"convolve", "background", "detect", "measure"}));
  smooth.background->box = 40;
  ASSERT_TRUE(run(*live, smooth));
  EXPECT_EQ(live->result()->stages_run, (Names{"background", "detect", "measure"}));
}

TEST_F(LiveRunTest, what_was_kept_gives_the_answer_of_a_plain_run) {
  const auto live = session();
  Request wanted = request(20);
  wanted.convolve.emplace();
  wanted.convolve->kernel = GaussianPixels{3, 3, 0};
  ASSERT_TRUE(run(*live, wanted));
  wanted.detect->seed = 4;
  ASSERT_TRUE(run(*live, wanted));
  const Result plain = run_once(shared_backend("cpu"), wanted);
  const auto& sources = live->result()->sources;
  ASSERT_EQ(sources.size(), plain.sources().size());
  ASSERT_GE(sources.size(), 3u);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    EXPECT_EQ(sources[i].x, plain.sources()[i].x);
    EXPECT_EQ(sources[i].peak, plain.sources()[i].peak);
  }
  EXPECT_EQ(live->result()->history, plain.history);
}

TEST_F(LiveRunTest, a_newer_request_stops_the_fits_of_either_image) {
  for (const char* stage : {"fit", "fit-neg"}) {
    Request slow = request(5);
    slow.negative_too = true;
    slow.beam = Beam{3.0 / 3600, 3.0 / 3600, 0};
    slow.fit.method = FitRequest::Method::gaussian;
    Request newer = slow;
    newer.detect->seed = 6;
    std::atomic<std::uint64_t> first = 0, second = 0;
    std::vector<std::uint64_t> seen;
    std::mutex mutex;
    std::unique_ptr<LiveRun> live;  // ends before what its thread uses
    const auto changed = [&] {      // on the live run's thread: the newer request comes while the stage is at work
      const std::lock_guard lock(mutex);
      if (second == 0 && live && live->status().stage == stage) second = submit_whole(*live, newer);
      if (live && live->result()) seen.push_back(live->result()->generation);
      const std::lock_guard other(mutex_);
      changed_.notify_all();
    };
    live = std::make_unique<LiveRun>([] { return make_backend("cpu", {}, LogSink()); }, changed);
    {
      const std::lock_guard lock(mutex);
      first = submit_whole(*live, slow);
    }
    ASSERT_TRUE(until([&] { return second != 0 && live->result() && live->result()->generation == second; })) << stage;
    const std::lock_guard lock(mutex);
    EXPECT_EQ(std::ranges::find(seen, first.load()), seen.end()) << stage << " was let finish for nothing";
  }
}

TEST_F(LiveRunTest, warnings_and_facts_of_kept_stages_stay) {
  for (int i = 0; i < 6; ++i) image_.at(40 + 40 * i, 20 + 30 * i) = 0;  // their warning names the threshold
  image_.at(10, 10) = INFINITY;
  write_image();
  const auto live = session();
  ASSERT_TRUE(run(*live, request(10)));
  const Report first = live->result()->report;
  ASSERT_EQ(std::ranges::count(first.warnings, "1 infinite pixels count as blank"), 1);
  ASSERT_TRUE(run(*live, request(5)));
  EXPECT_EQ(live->result()->stages_run.front(), "detect");
  EXPECT_EQ(live->result()->report.warnings, first.warnings);
  std::vector<std::string> before, after;
  for (const auto& [name, value] : first.facts) before.push_back(name);
  for (const auto& [name, value] : live->result()->report.facts) after.push_back(name);
  EXPECT_EQ(after, before);
}

TEST_F(LiveRunTest, sources_by_moments_come_first_and_their_fits_alone_run_after_them) {
  Request fitted = request(5);
  fitted.beam = Beam{3.0 / 3600, 3.0 / 3600, 0};
  fitted.fit.method = FitRequest::Method::gaussian;
  std::mutex mutex;
  std::vector<std::shared_ptr<const LiveResult>> seen;
  std::unique_ptr<LiveRun> live;  // ends before what its thread uses
  live = std::make_unique<LiveRun>([] { return make_backend("cpu", {}, LogSink()); },
                                   [&] {
                                     const std::lock_guard lock(mutex);
                                     if (!live) return;
                                     const auto result = live->result();
                                     if (result && (seen.empty() || seen.back() != result)) seen.push_back(result);
                                     const std::lock_guard other(mutex_);
                                     changed_.notify_all();
                                   });
  std::uint64_t last = 0;
  {
    const std::lock_guard lock(mutex);
    last = live->submit(fitted);
  }
  ASSERT_TRUE(until([&] { return live->result() && live->result()->generation == last && !live->status().busy; }));
  {
    const std::lock_guard lock(mutex);
    ASSERT_EQ(seen.size(), 2u);
    EXPECT_EQ(seen[0]->request.fit.method, FitRequest::Method::moments);
    EXPECT_EQ(seen[0]->generation + 1, last);
    EXPECT_EQ(seen[1]->stages_run, (Names{"read", "background", "detect", "measure", "fit"}));
    EXPECT_EQ(seen[1]->labels, seen[0]->labels);
  }
  fitted.calibration.flux_error = 0.1;  // the fits are kept: one answer
  last = live->submit(fitted);
  ASSERT_TRUE(until([&] { return live->result()->generation == last && !live->status().busy; }));
  const std::lock_guard lock(mutex);
  EXPECT_EQ(seen.size(), 3u);
  EXPECT_TRUE(seen.back()->stages_run.empty());
}

TEST(LiveRun, a_running_stage_is_out_of_date_where_its_input_or_its_parameters_change) {
  using enum StageId;
  for (const StageId running : {open, read, convolve, background, fit})
    for (const auto& [changed, word] : kStageWords) EXPECT_EQ(LiveRun::outdated(running, changed), changed <= running);
  for (const StageId running : {detect, measure, judge})
    for (const auto& [changed, word] : kStageWords)
      EXPECT_EQ(LiveRun::outdated(running, changed), changed < detect) << "a moving slider must show results";
}

TEST_F(LiveRunTest, the_newest_of_many_requests_wins) {
  const auto live = session();
  std::uint64_t last = 0;
  for (int i = 0; i < 40; ++i) last = live->submit(request(30 - 0.5 * i));
  ASSERT_TRUE(until([&] { return !live->status().busy; }));
  EXPECT_EQ(live->result()->generation, last);
  EXPECT_EQ(live->result()->request.detect->seed, 10.5);
}

TEST_F(LiveRunTest, a_map_is_that_of_the_backend) {
  const auto live = session();
  ASSERT_TRUE(run(*live, request(5)));
  live->request_map(product_id("snr"));
  ASSERT_TRUE(until([&] { return live->map(product_id("snr")).image != nullptr; }));
  const Result plain = run_once(shared_backend("cpu"), request(5));
  const Image expected = render(backend("cpu"), MapKind::snr, *plain.plane(), *plain.background());
  EXPECT_TRUE(same_bits(*live->map(product_id("snr")).image, expected));
}

TEST_F(LiveRunTest, every_map_that_the_viewer_shows_is_the_products) {
  const auto live = session();
  Request wanted = request(5);
  wanted.beam = Beam{3.0 / 3600, 3.0 / 3600, 0};
  ASSERT_TRUE(run(*live, wanted));
  const Result plain = run_once(shared_backend("cpu"), wanted);
  FairTurn turn;
  const Job job;
  for (std::size_t i = 0; i < kProducts.size(); ++i) {
    const Product& product = kProducts[i];
    if (product.layer.empty() || product.make == nullptr) continue;
    const auto id = static_cast<ProductId>(i);
    live->request_shown(id, {}, ShowMaps::whole);
    ASSERT_TRUE(until([&] { return live->shown(id).image != nullptr; })) << product.word;
    Image expected(plain.header().shape);
    product.make({plain, job, turn}).rows(0, expected.shape().ny, expected.data());
    EXPECT_TRUE(same_bits(*live->shown(id).image, expected)) << product.word;
  }
}

TEST_F(LiveRunTest, tiles_and_values_of_a_map_are_those_of_the_backend) {
  const auto live = session();
  ASSERT_TRUE(run(*live, request(5)));
  live->request_shown(product_id("snr"), {}, ShowMaps::tiles);
  ASSERT_TRUE(until([&] { return live->shown(product_id("snr")).tiles != nullptr; }));
  const auto tiles = live->shown(product_id("snr")).tiles;
  const Result plain = run_once(shared_backend("cpu"), request(5));
  const Image map = render(backend("cpu"), MapKind::snr, *plain.plane(), *plain.background());
  const ReducedLevels levels = ReducedLevels::of(map, {});
  for (const Reduction reduction : {Reduction::mean, Reduction::peak, Reduction::blend}) {
    const TileKey key{2, reduction, {3, 5, 40, 50}};
    DisplayTile tile;
    ASSERT_TRUE(until([&] { return tiles->take(key, tile) == DisplayTiles::Answer::here; }));
    Image got({40, 50}), expected({40, 50});
    ASSERT_EQ(tile.values.size(), 2000u);
    std::ranges::copy(tile.values, got.data());
    levels.read(2, reduction, key.where, expected.data());
    EXPECT_TRUE(same_bits(got, expected));
    tiles->read(2, reduction, key.where, got.data());
    EXPECT_TRUE(same_bits(got, expected));
    EXPECT_EQ(tiles->take(key, tile), DisplayTiles::Answer::awaited) << "a tile is handed over once";
  }
  EXPECT_EQ(tiles->pixels(), nullptr) << "nobody wanted all of it";
  ASSERT_TRUE(until([&] { return tiles->value(70, 90) == map.at(70, 90); }));
  EXPECT_TRUE(same_bits(*tiles->wait_for_pixels(), map));
  EXPECT_EQ(tiles->value(299, 279), map.at(299, 279));
}

TEST_F(LiveRunTest, a_map_that_did_not_change_is_shown_by_the_same_tiles) {
  const auto live = session();
  ASSERT_TRUE(run(*live, request(5)));
  const auto shown = [&] {
    live->request_shown(product_id("rms-full"), {{3, Reduction::peak, {0, 0, 7, 9}}}, ShowMaps::tiles);
    const std::uint64_t now = live->result()->generation;
    EXPECT_TRUE(until([&] { return live->shown(product_id("rms-full")).generation == now; }));
    return live->shown(product_id("rms-full")).tiles;
  };
  const auto first = shown();
  ASSERT_NE(first, nullptr);
  DisplayTile tile;
  EXPECT_EQ(first->take({3, Reduction::peak, {0, 0, 7, 9}}, tile), DisplayTiles::Answer::here) << "made with the map";
  ASSERT_TRUE(run(*live, request(8)));
  EXPECT_EQ(shown(), first);
  Request other = request(8);
  other.background->box = 40;
  ASSERT_TRUE(run(*live, other));
  EXPECT_EQ(first->take({1, Reduction::mean, {0, 0, 10, 10}}, tile), DisplayTiles::Answer::never);
  EXPECT_THROW((void)first->wait_for_pixels(), Cancelled);
  EXPECT_NE(shown(), first);
}

TEST_F(LiveRunTest, those_who_wait_for_a_map_are_told_when_its_session_ends) {
  auto live = session();
  ASSERT_TRUE(run(*live, request(5)));
  live->request_shown(product_id("snr"), {}, ShowMaps::tiles);
  ASSERT_TRUE(until([&] { return live->shown(product_id("snr")).tiles != nullptr; }));
  const auto tiles = live->shown(product_id("snr")).tiles;
  live.reset();
  float one = 0;
  EXPECT_THROW(tiles->read(1, Reduction::mean, {0, 0, 1, 1}, &one), Cancelled);
  EXPECT_TRUE(std::isnan(tiles->value(3, 3)));
}

TEST_F(LiveRunTest, a_failure_is_told_and_the_next_request_runs) {
  const auto live = session();
  Request wrong = request(5);
  wrong.input += ".missing";
  live->submit(wrong);
  ASSERT_TRUE(until([&] { return !live->status().busy; }));
  EXPECT_NE(live->status().error.find(".missing"), std::string::npos) << live->status().error;
  ASSERT_TRUE(run(*live, request(5)));
  EXPECT_EQ(live->status().error, "");
}

TEST_F(LiveRunTest, an_invalidated_session_reads_again) {
  const auto live = session();
  ASSERT_TRUE(run(*live, request(5)));
  live->invalidate();
  ASSERT_TRUE(run(*live, request(5)));
  EXPECT_EQ(live->result()->stages_run.front(), "read");
}

TEST_F(LiveRunTest, cancelling_stops_within_a_moment) {
  const auto live = session();
  Request heavy = request(5);
  heavy.convolve.emplace();
  heavy.convolve->kernel = GaussianPixels{120, 40, 30};
  heavy.convolve->algorithm = Algorithm::direct;
  live->submit(heavy);
  ASSERT_TRUE(until([&] { return live->status().stage == "convolve" || !live->status().busy; }));
  const auto start = std::chrono::steady_clock::now();
  live->cancel();
  ASSERT_TRUE(until([&] { return !live->status().busy; }));
  const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  EXPECT_LT(ms, 2000) << "the aim is 50 ms on a quiet machine";
}

TEST(DisplayDesk, a_map_that_memory_cannot_hold_is_refused) {
  EXPECT_NO_THROW(DisplayDesk::check_room({100, 100}));
  EXPECT_THROW(DisplayDesk::check_room({std::int64_t{1} << 24, std::int64_t{1} << 24}), InputError);
}

}  // namespace
}  // namespace reber::testing
