// SPDX-License-Identifier: BSD-3-Clause
// A live run whose card fails goes on without it.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "core/seam/compute/card_error.hpp"
#include "tests/support/failing_maps.hpp"
#include "tests/unit/live_run_fixture.hpp"

namespace reber::testing {
namespace {

TEST_F(LiveRunTest, goes_on_where_a_card_fails) {
  std::string told;
  const auto card = []() -> std::unique_ptr<Backend> {
    throw CardError(CardError::Kind::broken, "cudaMemcpyAsync failed with cudaErrorEccUncorrectable");
  };
  const auto live = std::make_unique<LiveRun>(
      card,
      [this] {
        const std::lock_guard lock(mutex_);
        changed_.notify_all();
      },
      [&told](const std::string& failure) {
        told = failure;
        return make_backend("cpu", {}, LogSink());
      });
  live->submit(request(5), LiveRun::Answer::whole);
  ASSERT_TRUE(until([&] { return live->result() != nullptr; }));
  EXPECT_NE(told.find("cudaErrorEccUncorrectable"), std::string::npos) << told;
  EXPECT_TRUE(live->status().error.empty()) << live->status().error;
  const auto failure = live->card_failure();
  ASSERT_TRUE(failure);
  EXPECT_NE(failure->text.find("cudaErrorEccUncorrectable"), std::string::npos) << failure->text;
  EXPECT_FALSE(failure->memory);
  ASSERT_TRUE(run(*live, request(7)));
  EXPECT_TRUE(live->card_failure()) << "the processor still goes on in its place";
}

TEST_F(LiveRunTest, goes_on_where_a_card_fails_at_a_map) {
  const auto card = [] { return std::make_unique<testing::FailingMaps>(make_backend("cpu", {}, LogSink())); };
  const auto changed = [this] {
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
  };
  LiveRun live(card, changed, [](const std::string&) { return make_backend("cpu", {}, LogSink()); });
  ASSERT_TRUE(run(live, request(5)));
  const auto before = live.result();
  live.request_map(product_id("rms-full"));
  ASSERT_TRUE(until([&] { return live.map(product_id("rms-full")).image != nullptr; })) << live.status().error;
  ASSERT_TRUE(live.card_failure());
  EXPECT_NE(live.card_failure()->text.find("given up"), std::string::npos);
  ASSERT_TRUE(live.result());
  EXPECT_GT(live.result()->generation, before->generation) << "the processor ran what the card had run";
  EXPECT_EQ(live.result()->sources.size(), before->sources.size());
  EXPECT_TRUE(live.status().error.empty()) << live.status().error;

  LiveRun named(card, changed);
  ASSERT_TRUE(run(named, request(5)));
  named.request_map(product_id("rms-full"));
  ASSERT_TRUE(until([&] { return !named.status().error.empty(); }));
  EXPECT_TRUE(named.result()) << "a card that was named keeps what it found";
}

TEST_F(LiveRunTest, a_named_card_may_be_well_in_the_next_run) {
  int opened = 0;
  LiveRun live(
      [&opened]() -> std::unique_ptr<Backend> {
        if (++opened == 1) throw CardError(CardError::Kind::memory, "cudaMalloc failed with cudaErrorMemoryAllocation");
        return make_backend("cpu", {}, LogSink());
      },
      [this] {
        const std::lock_guard lock(mutex_);
        changed_.notify_all();
      });
  live.submit(request(5), LiveRun::Answer::whole);
  ASSERT_TRUE(until([&] { return !live.status().error.empty(); }));
  ASSERT_TRUE(live.card_failure());
  EXPECT_TRUE(live.card_failure()->memory);
  ASSERT_TRUE(run(live, request(5)));
  EXPECT_FALSE(live.card_failure());
}

}  // namespace
}  // namespace reber::testing
