// SPDX-License-Identifier: BSD-3-Clause
// A fixed set of worker threads for loops over chunks of an image.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace reber {

/// Runs loops on a fixed number of threads. Work is handed out by index, so a result that depends on the index
/// alone is the same for any number of threads.
class ThreadPool {
 public:
  /// threads: how many work at once, the caller included; 0 means all that this process may use. Fewer
  /// work where the system gives no more threads; the caller alone is enough.
  explicit ThreadPool(int threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  [[nodiscard]] int threads() const;

  /// Calls body(i) once for each i in [0, count), in any order, from several threads; returns when all are done.
  /// One exception out of the body (the first met) is thrown again here, after the others have finished; indices
  /// not yet started are then dropped. Not reentrant: a body must not call for_each of the same pool.
  void for_each(std::int64_t count, const std::function<void(std::int64_t)>& body);

  /// As for_each, with the worker's own number in [0, threads()) as second argument, for per-worker scratch.
  void for_each_worker(std::int64_t count, const std::function<void(std::int64_t, int)>& body);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace reber
