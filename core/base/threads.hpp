// SPDX-License-Identifier: BSD-3-Clause
// The one place that starts threads, and what is done where the system gives none.
#pragma once

#include <exception>
#include <future>
#include <thread>
#include <utility>

namespace reber {

/// Threads that a user may ask for; more help on no machine, and each takes room for its stack.
inline constexpr int kMostThreads = 1024;

/// Starts a thread. It is not joinable where the system gives none (a limit of processes, or memory for its stack):
/// the caller then does the work itself. Never throws.
template <class Work>
[[nodiscard]] std::thread start_thread(Work work) noexcept {
  try {
    return std::thread(std::move(work));
  } catch (const std::exception&) {  // std::system_error, std::bad_alloc
    return {};
  }
}

/// A function beside the caller. Where the system gives no thread, the future is deferred: get() and wait() call it.
template <class Work>
[[nodiscard]] auto run_beside(Work work) -> std::future<decltype(work())> {
  try {
    return std::async(std::launch::async, work);
  } catch (const std::exception&) {
    return std::async(std::launch::deferred, std::move(work));
  }
}

/// A function on the thread that asks the future for its result.
template <class Work>
[[nodiscard]] auto run_later(Work work) -> std::future<decltype(work())> {
  return std::async(std::launch::deferred, std::move(work));
}

}  // namespace reber
