// SPDX-License-Identifier: BSD-3-Clause
// Worker threads: a loop offers places, the workers that take one share its indices. Threads that wake late are not
// waited for.
#include "core/base/thread_pool.hpp"

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/thread_budget.hpp"
#include "core/base/threads.hpp"

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

struct ThreadPool::State {
  std::vector<std::thread> workers;
  std::mutex mutex;
  std::condition_variable wake, done;
  const std::function<void(std::int64_t, int)>* body = nullptr;
  std::int64_t count = 0;
  std::atomic<std::int64_t> next{0};
  std::int64_t places = 0;  ///< workers that may still join the loop
  int running = 0;          ///< workers that joined it
  bool stop = false;
  std::exception_ptr failure;

  void work(int worker) {
    for (;;) {
      const std::int64_t index = next.fetch_add(1);
      if (index >= count) return;
      try {
        (*body)(index, worker);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
        next.store(count);
      }
    }
  }

  void loop(int worker) {
    std::unique_lock lock(mutex);
    for (;;) {
      wake.wait(lock, [&] { return stop || places > 0; });
      if (stop) return;
      --places;
      ++running;
      lock.unlock();
      work(worker);
      lock.lock();
      if (--running == 0) done.notify_one();
    }
  }
};

ThreadPool::ThreadPool(int threads) : state_(std::make_unique<State>()) {
  threads = affordable_threads(threads > 0 ? threads : usable_threads());
  // Nothing may throw once a thread waits on the state.
  state_->workers.reserve(static_cast<std::size_t>(threads));
  for (int worker = 1; worker < threads; ++worker) {
    std::thread started = start_thread([state = state_.get(), worker] { state->loop(worker); });
    if (!started.joinable()) break;
    state_->workers.push_back(std::move(started));
  }
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stop = true;
  }
  state_->wake.notify_all();
  for (auto& worker : state_->workers) worker.join();
}

int ThreadPool::threads() const { return static_cast<int>(state_->workers.size()) + 1; }

void ThreadPool::for_each(std::int64_t count, const std::function<void(std::int64_t)>& body) {
  for_each_worker(count, [&](std::int64_t index, int) { body(index); });
}

void ThreadPool::for_each_worker(std::int64_t count, const std::function<void(std::int64_t, int)>& body) {
  State& state = *state_;
  const auto workers = static_cast<std::int64_t>(state.workers.size());
  const std::int64_t wanted = std::clamp<std::int64_t>(count - 1, 0, workers);
  {
    const std::lock_guard lock(state.mutex);
    state.body = &body;
    state.count = count;
    state.next.store(0);
    state.failure = nullptr;
    state.places = wanted;
  }
  if (wanted == workers) {
    state.wake.notify_all();
  } else {
    for (std::int64_t k = 0; k < wanted; ++k) state.wake.notify_one();
  }
  state.work(0);
  std::unique_lock lock(state.mutex);
  state.places = 0;  // every index is taken: nobody else need come
  state.done.wait(lock, [&] { return state.running == 0; });
  if (state.failure) std::rethrow_exception(state.failure);
}

}  // namespace reber
