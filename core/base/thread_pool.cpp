// SPDX-License-Identifier: BSD-3-Clause
// How many threads a pool's loops may have; the threads are the process's crew.
#include "core/base/thread_pool.hpp"

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "core/base/thread_budget.hpp"
#include "core/base/thread_crew.hpp"

namespace reber {
namespace {

thread_local int budget = 0;

/// How many threads fit beside the work where address space is limited (ulimit -v): each takes 8 MiB of stack and up to
/// 64 MiB of malloc's arena, for which a quarter of the limit may go.
int affordable_threads(int wanted) {
  constexpr rlim_t kThreadBytes = rlim_t{72} << 20;
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return wanted;
  return static_cast<int>(std::min<rlim_t>(static_cast<rlim_t>(wanted), 1 + limit.rlim_cur / 4 / kThreadBytes));
}

}  // namespace

int usable_threads() {
  if (budget > 0) return budget;
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return CPU_COUNT(&set);
  return std::max(static_cast<int>(std::thread::hardware_concurrency()), 1);
}

ThreadBudget::ThreadBudget(int threads) : before_(std::exchange(budget, threads)) {}
ThreadBudget::~ThreadBudget() { budget = before_; }

ThreadPool::ThreadPool(int threads) : threads_(affordable_threads(threads > 0 ? threads : usable_threads())) {}

void ThreadPool::for_each(std::int64_t count, const std::function<void(std::int64_t)>& body) {
  for_each_worker(count, [&](std::int64_t index, int) { body(index); });
}

void ThreadPool::for_each_worker(std::int64_t count, const std::function<void(std::int64_t, int)>& body) {
  SharedLoop loop{body, count, std::clamp<std::int64_t>(count - 1, 0, threads_ - 1)};
  ThreadCrew::of_process().run(loop);
}

void ThreadPool::for_each_idle(std::int64_t count, int most, const std::function<void(std::int64_t)>& body) {
  const std::function<void(std::int64_t, int)> each = [&](std::int64_t index, int) { body(index); };
  SharedLoop loop{each, count, std::clamp<std::int64_t>(count - 1, 0, std::min(most, threads_) - 1), true};
  ThreadCrew::of_process().run(loop);
}

}  // namespace reber
