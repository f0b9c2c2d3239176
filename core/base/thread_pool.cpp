// SPDX-License-Identifier: BSD-3-Clause
// Worker threads: each loop bumps a generation number, every worker takes indices from one counter.
#include "core/base/thread_pool.hpp"

#include <sched.h>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "core/base/progress.hpp"

namespace reber {
namespace {

int usable_threads() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return CPU_COUNT(&set);
  return static_cast<int>(std::thread::hardware_concurrency());
}

}  // namespace

struct ThreadPool::State {
  std::vector<std::thread> workers;
  std::mutex mutex;
  std::condition_variable wake, done;
  const std::function<void(std::int64_t, int)>* body = nullptr;
  std::int64_t count = 0;
  std::atomic<std::int64_t> next{0};
  std::uint64_t generation = 0;
  int running = 0;
  bool stop = false;
  std::exception_ptr failure;
  Progress progress;

  void work(int worker) {
    for (;;) {
      const std::int64_t index = next.fetch_add(1);
      if (index >= count) return;
      try {
        progress.check();
        (*body)(index, worker);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
        next.store(count);
      }
    }
  }

  void loop(int worker) {
    std::uint64_t seen = 0;
    std::unique_lock lock(mutex);
    for (;;) {
      wake.wait(lock, [&] { return stop || generation != seen; });
      if (stop) return;
      seen = generation;
      lock.unlock();
      work(worker);
      lock.lock();
      if (--running == 0) done.notify_one();
    }
  }
};

ThreadPool::ThreadPool(int threads) : state_(std::make_unique<State>()) {
  if (threads <= 0) threads = usable_threads();
  for (int worker = 1; worker < threads; ++worker)
    state_->workers.emplace_back([state = state_.get(), worker] { state->loop(worker); });
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

void ThreadPool::heed(const Progress& progress) { state_->progress = progress; }

void ThreadPool::for_each(std::int64_t count, const std::function<void(std::int64_t)>& body) {
  for_each_worker(count, [&](std::int64_t index, int) { body(index); });
}

void ThreadPool::for_each_worker(std::int64_t count, const std::function<void(std::int64_t, int)>& body) {
  State& state = *state_;
  {
    const std::lock_guard lock(state.mutex);
    state.body = &body;
    state.count = count;
    state.next.store(0);
    state.failure = nullptr;
    state.running = static_cast<int>(state.workers.size());
    ++state.generation;
  }
  state.wake.notify_all();
  state.work(0);
  std::unique_lock lock(state.mutex);
  state.done.wait(lock, [&] { return state.running == 0; });
  if (state.failure) std::rethrow_exception(state.failure);
}

}  // namespace reber
