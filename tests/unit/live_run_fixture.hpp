// SPDX-License-Identifier: BSD-3-Clause
// What tests of a live run share: a small image with sources, and waiting for answers.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <filesystem>
#include <mutex>

#include "core/files/fits/fits_writer.hpp"
#include "core/run/live/display_tiles.hpp"
#include "core/run/live/live_run.hpp"
#include "kernels/backends.hpp"
#include "tests/support/shared_backend.hpp"
#include "tests/support/testing.hpp"

namespace reber::testing {

using Names = std::vector<std::string>;

class LiveRunTest : public ::testing::Test {
 protected:
  void SetUp() override {
    image_ = random_image({300, 280}, 0.01, 11);
    for (int i = 0; i < 6; ++i) image_.at(30 + 40 * i, 50 + 30 * i) = 40.0f + static_cast<float>(i);
    for (int i = 0; i < 6; ++i) image_.at(40 + 40 * i, 20 + 30 * i) = -30.0f - static_cast<float>(i);
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    path_ = ::testing::TempDir() + "reber_session_" + test->name() + ".fits";  // tests may run side by side
    write_image();
  }
  void write_image() const {
    write_fits(path_, image_.shape(), {}, FloatRows([&](std::int64_t y0, std::int64_t ny, float* out) {
                 std::copy_n(image_.data() + y0 * image_.shape().nx, ny * image_.shape().nx, out);
               }),
               true);
  }
  void TearDown() override { std::filesystem::remove(path_); }

  [[nodiscard]] Request request(double seed) const {
    Request made;
    made.input = path_;
    made.program = "reber test";
    made.background.emplace();
    made.detect.emplace();
    made.fit.method = FitRequest::Method::moments;
    made.detect->seed = seed;
    return made;
  }

  std::unique_ptr<LiveRun> session() {
    return std::make_unique<LiveRun>([] { return make_backend("cpu", {}, LogSink()); },
                                     [this] {
                                       const std::lock_guard lock(mutex_);
                                       ++changes_;
                                       changed_.notify_all();
                                     });
  }

  /// Waits for what must come; fails after ten seconds.
  template <typename Done>
  ::testing::AssertionResult until(Done done) {
    std::unique_lock lock(mutex_);
    const bool met = changed_.wait_for(lock, std::chrono::seconds(10), done);
    return met ? ::testing::AssertionSuccess() : ::testing::AssertionFailure() << "not within ten seconds";
  }

  /// A request with fits, answered by one result.
  static std::uint64_t submit_whole(LiveRun& live, const Request& request) {
    return live.submit(request, LiveRun::Answer::whole);
  }

  ::testing::AssertionResult run(LiveRun& session, const Request& wanted) {
    const std::uint64_t generation = session.submit(wanted);
    return until([&] { return session.result() && session.result()->generation == generation; });
  }

  Image image_;
  std::string path_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int changes_ = 0;
};

}  // namespace reber::testing
