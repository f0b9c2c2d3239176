// SPDX-License-Identifier: BSD-3-Clause
// The threads of this process that work for its pools. They are kept: to start and to end thirty costs milliseconds,
// and a batch makes pools by the thousand.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <vector>

namespace reber {

/// A loop over indices that several threads share: its caller, and those of the crew that take one of its places.
struct SharedLoop {
  const std::function<void(std::int64_t, int)>& body;
  std::int64_t count;
  std::int64_t places;       ///< threads of the crew that may still come
  bool by_the_idle = false;  ///< of those alone that have nothing else to do, now or before it ends: none is started

  std::atomic<std::int64_t> next{0};
  int joined = 0;   ///< threads that came
  int running = 0;  ///< of these, those that have not left
  std::condition_variable left{};
  std::exception_ptr failure{};
};

/// The process's crew. A loop offers places; whoever is idle takes one, and threads are started where more places are
/// offered than there are idle ones, but for loops by the idle. Where the system gives no thread, fewer come. Nothing
/// is shared but the threads: a loop's result depends on its indices alone. It lives as long as the process, which does
/// not wait for it; a forked child begins with one of its own.
class ThreadCrew {
 public:
  static ThreadCrew& of_process();

  /// Runs the loop, the caller at work as number 0, the others from 1. Threads that come late are not waited for.
  ///   throws what the body threw first, after the others have left
  void run(SharedLoop& loop);

 private:
  /// Loops with places, the oldest first, and the places of all of them.
  struct Offers {
    std::vector<SharedLoop*> loops;
    std::int64_t places = 0;
    void add(SharedLoop& loop);
    /// One place of the oldest.
    SharedLoop& take();
    void withdraw(SharedLoop& loop);
  };

  ThreadCrew() = default;
  Offers& offers_of(const SharedLoop& loop) { return loop.by_the_idle ? for_the_idle_ : offers_; }
  void offer(SharedLoop& loop);
  void withdraw(SharedLoop& loop);
  void start(std::int64_t threads);
  void serve();
  void work(SharedLoop& loop, int worker);

  std::mutex mutex_;
  std::condition_variable wake_;
  Offers offers_, for_the_idle_;
  std::int64_t idle_ = 0;  ///< threads that wait, or are being started
};

}  // namespace reber
