// SPDX-License-Identifier: BSD-3-Clause
// Threads that wait for places of loops.
#include "core/base/thread_crew.hpp"

#include <pthread.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "core/base/threads.hpp"

namespace reber {
namespace {

/// The one object that belongs to the process: threads do. Never freed, since threads may wait on it to the very end.
std::atomic<ThreadCrew*> of_this_process{nullptr};

}  // namespace

ThreadCrew& ThreadCrew::of_process() {
  ThreadCrew* crew = of_this_process.load();
  if (crew != nullptr) return *crew;
  static std::once_flag once;
  // Threads do not come along with a fork.
  std::call_once(once, [] { pthread_atfork(nullptr, nullptr, [] { of_this_process.store(nullptr); }); });
  auto* const made = new ThreadCrew;
  if (of_this_process.compare_exchange_strong(crew, made)) return *made;
  delete made;
  return *crew;
}

void ThreadCrew::Offers::add(SharedLoop& loop) {
  loops.push_back(&loop);
  places += loop.places;
}

SharedLoop& ThreadCrew::Offers::take() {
  SharedLoop& loop = *loops.front();
  --places;
  if (--loop.places == 0) loops.erase(loops.begin());
  return loop;
}

void ThreadCrew::Offers::withdraw(SharedLoop& loop) {
  if (loop.places == 0) return;
  places -= std::exchange(loop.places, 0);
  std::erase(loops, &loop);
}

void ThreadCrew::run(SharedLoop& loop) {
  const bool shared = loop.places > 0;
  if (shared) offer(loop);
  work(loop, 0);
  if (shared) withdraw(loop);
  if (loop.failure) std::rethrow_exception(loop.failure);
}

void ThreadCrew::offer(SharedLoop& loop) {
  const std::int64_t wanted = loop.places;
  std::int64_t missing = 0;
  bool all = false;
  {
    const std::lock_guard lock(mutex_);
    all = wanted >= idle_;
    offers_of(loop).add(loop);
    missing = loop.by_the_idle ? 0 : std::max<std::int64_t>(offers_.places - idle_, 0);
    idle_ += missing;
  }
  // All at once: one that wakes the next is itself behind whatever keeps the processors busy.
  if (all) {
    wake_.notify_all();
  } else {
    for (std::int64_t k = 0; k < wanted; ++k) wake_.notify_one();
  }
  start(missing);
}

void ThreadCrew::start(std::int64_t threads) {
  for (std::int64_t k = 0; k < threads; ++k) {
    std::thread started = start_thread([this] { serve(); });
    if (!started.joinable()) {
      const std::lock_guard lock(mutex_);
      idle_ -= threads - k;
      return;
    }
    started.detach();
  }
}

/// Every index is taken: nobody else need come.
void ThreadCrew::withdraw(SharedLoop& loop) {
  std::unique_lock lock(mutex_);
  offers_of(loop).withdraw(loop);
  loop.left.wait(lock, [&] { return loop.running == 0; });
}

void ThreadCrew::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return offers_.places + for_the_idle_.places > 0; });
    SharedLoop& loop = (offers_.places > 0 ? offers_ : for_the_idle_).take();
    const int worker = ++loop.joined;
    ++loop.running;
    --idle_;
    lock.unlock();
    work(loop, worker);
    lock.lock();
    ++idle_;
    if (--loop.running == 0) loop.left.notify_one();  // under the lock: the loop may be gone after it
  }
}

void ThreadCrew::work(SharedLoop& loop, int worker) {
  for (;;) {
    const std::int64_t index = loop.next.fetch_add(1);
    if (index >= loop.count) return;
    try {
      loop.body(index, worker);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!loop.failure) loop.failure = std::current_exception();
      loop.next.store(loop.count);
    }
  }
}

}  // namespace reber
