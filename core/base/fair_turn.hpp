// SPDX-License-Identifier: BSD-3-Clause
// A lock whose waiters come in the order in which they asked. A std::mutex lets a thread that asks again at once go
// before one that waits, which may then wait for all of the other's work.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace reber {

/// For std::lock_guard.
class FairTurn {
 public:
  void lock() {
    std::unique_lock lock(mutex_);
    const std::uint64_t mine = asked_++;
    changed_.wait(lock, [&] { return served_ == mine; });
  }
  /// Threads that ask and are not served.
  [[nodiscard]] std::uint64_t waiting() {
    const std::lock_guard lock(mutex_);
    return asked_ - std::min(asked_, served_ + 1);
  }
  void unlock() {
    {
      const std::lock_guard lock(mutex_);
      ++served_;
    }
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t asked_ = 0, served_ = 0;
};

}  // namespace reber
