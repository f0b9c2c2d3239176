// SPDX-License-Identifier: BSD-3-Clause
// Backends opened ahead: once, beside their callers, and with failures that are met where the backend is needed.
#include "gui/model/early_backend.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "core/base/error.hpp"
#include "core/run/live/live_run.hpp"
#include "kernels/backends.hpp"

namespace reber::testing {
namespace {

using gui::EarlyBackend;

/// A factory that counts, waits for leave and fails as often as it is told to.
struct Factory {
  std::atomic<int> calls{0}, failures{0};
  std::promise<void> leave;
  std::shared_future<void> left = leave.get_future().share();

  [[nodiscard]] EarlyBackend::Make make() {
    return [this](const std::string& name) {
      ++calls;
      left.wait();
      if (failures-- > 0) throw DeviceError("backend '" + name + "' cannot run here: no card");
      return make_backend("cpu", {}, LogSink());
    };
  }
};

TEST(EarlyBackendTest, opening_does_not_wait_and_is_done_once) {
  Factory factory;
  EarlyBackend early(factory.make());
  EXPECT_TRUE(early.open("cuda"));  // returns although the factory has no leave to go on
  EXPECT_FALSE(early.open("cuda"));
  EXPECT_TRUE(early.opening());
  factory.leave.set_value();
  const auto backend = early.take("cuda");
  ASSERT_TRUE(backend);
  EXPECT_EQ(backend->info().name, "cpu");
  EXPECT_EQ(factory.calls, 1);
  EXPECT_FALSE(early.opening());
  EXPECT_FALSE(early.open("cuda")) << "what was taken is not opened again";
  EXPECT_EQ(factory.calls, 1);
}

TEST(EarlyBackendTest, the_first_of_several_takers_gets_it_and_the_others_their_own) {
  Factory factory;
  EarlyBackend early(factory.make());
  early.open("auto");
  std::vector<std::future<std::unique_ptr<Backend>>> takers;
  for (int i = 0; i < 3; ++i) takers.push_back(std::async(std::launch::async, [&] { return early.take("auto"); }));
  factory.leave.set_value();
  for (auto& taker : takers) EXPECT_TRUE(taker.get());
  EXPECT_EQ(factory.calls, 3) << "one a taker, the one opened ahead among them";
}

TEST(EarlyBackendTest, another_name_is_another_backend) {
  Factory factory;
  factory.leave.set_value();
  EarlyBackend early(factory.make());
  early.open("cuda");
  while (factory.calls < 1) std::this_thread::yield();  // the thread that opens ahead has begun
  EXPECT_TRUE(early.take("cpu"));
  EXPECT_EQ(factory.calls, 2);
  EXPECT_FALSE(early.open("cpu")) << "it was taken without having been opened ahead";
  EXPECT_TRUE(early.take("cuda"));
  EXPECT_EQ(factory.calls, 2);
}

TEST(EarlyBackendTest, nobody_needs_to_take_it) {
  Factory factory;
  factory.failures = 1;
  {
    EarlyBackend early(factory.make());
    early.open("cuda");
    factory.leave.set_value();
  }
  EXPECT_EQ(factory.calls, 1);
}

TEST(EarlyBackendTest, a_failure_is_met_where_the_backend_is_taken) {
  Factory factory;
  factory.failures = 2;
  factory.leave.set_value();
  EarlyBackend early(factory.make());
  early.open("cuda");
  EXPECT_THROW((void)early.take("cuda"), DeviceError);
  EXPECT_EQ(factory.calls, 2);
  EXPECT_TRUE(early.take("cuda")) << "it may have passed by the next request";
}

TEST(EarlyBackendTest, a_failure_that_has_passed_is_not_told) {
  Factory factory;
  factory.failures = 1;
  factory.leave.set_value();
  EarlyBackend early(factory.make());
  early.open("cuda");
  EXPECT_TRUE(early.take("cuda"));
}

/// As without opening early: the request's status holds the failure, and nothing does before there is a request.
TEST(EarlyBackendTest, a_session_tells_the_failure_when_work_is_asked_for) {
  Factory factory;
  factory.failures = 2;
  factory.leave.set_value();
  EarlyBackend early(factory.make());
  early.open("cuda");
  while (early.opening()) std::this_thread::yield();
  LiveRun session([&] { return early.take("cuda"); }, [] {});
  EXPECT_EQ(session.status().error, "");
  session.submit(Request());
  while (session.status().busy) std::this_thread::yield();
  EXPECT_EQ(session.status().error, "backend 'cuda' cannot run here: no card");
  EXPECT_EQ(session.backend().name, "");
}

}  // namespace
}  // namespace reber::testing
