// SPDX-License-Identifier: BSD-3-Clause
// Turns come in the order in which they were asked for.
#include "core/base/fair_turn.hpp"

#include <gtest/gtest.h>

#include <mutex>
#include <thread>
#include <vector>

namespace reber::testing {
namespace {

TEST(FairTurn, a_thread_that_asks_again_at_once_comes_after_one_that_waits) {
  constexpr int kTurns = 200;
  FairTurn turn;
  std::vector<int> order;
  const auto work = [&](int who) {
    for (int k = 0; k < kTurns; ++k) {
      const std::lock_guard mine(turn);
      order.push_back(who);
      std::this_thread::yield();
    }
  };
  std::thread other;
  {
    const std::lock_guard first(turn);
    other = std::thread(work, 1);
    while (turn.waiting() < 1) std::this_thread::yield();
  }
  work(0);
  other.join();
  ASSERT_EQ(order.size(), 2U * kTurns);
  EXPECT_EQ(order.front(), 1);  // it waited before the other asked
}

}  // namespace
}  // namespace reber::testing
