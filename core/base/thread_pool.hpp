// SPDX-License-Identifier: BSD-3-Clause
// Loops over chunks of an image by several threads.
#pragma once

#include <cstdint>
#include <functional>

namespace reber {

/// Runs loops on a number of threads, which it borrows for each loop from those that the process keeps
/// (core/base/thread_crew.hpp): it costs nothing to make one. Work is handed out by index, so a result that depends on
/// the index alone is the same for any number of threads.
class ThreadPool {
 public:
  /// threads: how many work at once, the caller included; 0 means all that this process may use. Fewer
  /// work where the system gives no more threads; the caller alone is enough.
  explicit ThreadPool(int threads = 0);
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  [[nodiscard]] int threads() const { return threads_; }

  /// Calls body(i) once for each i in [0, count), in any order, from several threads; returns when all are done.
  /// One exception out of the body (the first met) is thrown again here, after the others have finished; indices
  /// not yet started are then dropped. A body may itself call for_each, and several threads may at once.
  void for_each(std::int64_t count, const std::function<void(std::int64_t)>& body);

  /// As for_each, with the worker's own number in [0, threads()) as second argument, for per-worker scratch.
  void for_each_worker(std::int64_t count, const std::function<void(std::int64_t, int)>& body);
  /// As for_each, by the caller and those threads that have nothing else to do, now or before all is done: for a part
  /// of a body while others may still have bodies (whoever waits for these does not come).   most: threads in all
  void for_each_idle(std::int64_t count, int most, const std::function<void(std::int64_t)>& body);

 private:
  int threads_;
};

}  // namespace reber
