// SPDX-License-Identifier: BSD-3-Clause
// How many threads the work of one thread may take, where several kinds of work go on side by side.
#pragma once

namespace reber {

/// Threads that this process may use, or the budget of the calling thread.
[[nodiscard]] int usable_threads();

/// While it lives, pools that its thread makes without a number take this many threads. Threads of those pools have no
/// budget of their own: they make no pools.
class ThreadBudget {
 public:
  /// threads: 0 for no budget.
  explicit ThreadBudget(int threads);
  ~ThreadBudget();
  ThreadBudget(const ThreadBudget&) = delete;
  ThreadBudget& operator=(const ThreadBudget&) = delete;

 private:
  int before_;
};

}  // namespace reber
