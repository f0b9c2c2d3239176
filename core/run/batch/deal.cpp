// SPDX-License-Identifier: BSD-3-Clause
// One counter, a thread per lane.
#include "core/run/batch/deal.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "core/base/threads.hpp"

namespace reber {

void deal(std::span<const std::int64_t> images, const std::vector<Lane>& lanes) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&](const Lane& lane) {
    for (std::size_t at = next.fetch_add(1); at < images.size(); at = next.fetch_add(1)) {
      try {
        lane(images[at]);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
        next.store(images.size());
        return;
      }
    }
  };
  std::vector<std::thread> threads;
  const std::size_t wanted = std::min(lanes.size(), images.size());
  threads.reserve(wanted);  // nothing may throw once a thread works
  for (std::size_t lane = 1; lane < wanted; ++lane) {
    std::thread started = start_thread([&work, &lanes, lane] { work(lanes[lane]); });
    if (!started.joinable()) break;
    threads.push_back(std::move(started));
  }
  work(lanes.front());
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}

std::vector<int> divide_threads(int threads, int lanes) {
  std::vector<int> shares(static_cast<std::size_t>(lanes), std::max(threads / lanes, 1));
  for (int lane = 0; lane < threads % lanes && threads >= lanes; ++lane) ++shares[static_cast<std::size_t>(lane)];
  return shares;
}

}  // namespace reber
