// SPDX-License-Identifier: BSD-3-Clause
// The pool: every index once, exceptions out, any number of threads.
#include "core/base/thread_pool.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>
#include <vector>

#include "core/base/error.hpp"

namespace reber::testing {
namespace {

TEST(thread_pool, each_index_is_visited_once_whatever_the_number_of_threads) {
  for (const int threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    for (const std::int64_t count : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> visits(static_cast<std::size_t>(count));
      pool.for_each(count, [&](std::int64_t index) { ++visits[static_cast<std::size_t>(index)]; });
      for (const auto& visit : visits) EXPECT_EQ(visit.load(), 1);
    }
  }
}

// Workers that wake when a loop is over must not touch the next one's indices, nor miss it.
TEST(thread_pool, short_loops_follow_each_other) {
  ThreadPool pool(6);
  for (std::int64_t loop = 0; loop < 20000; ++loop) {
    const std::int64_t count = loop % 9;
    std::atomic<std::int64_t> sum{0};
    pool.for_each(count, [&sum, loop](std::int64_t index) { sum += loop + index; });
    ASSERT_EQ(sum.load(), count * loop + count * (count - 1) / 2);
  }
}

TEST(thread_pool, all_threads_work_at_once) {
  ThreadPool pool(4);
  std::atomic<int> inside{0};
  // Each index waits for all others: with fewer than four threads at work this would not end.
  pool.for_each(4, [&](std::int64_t) {
    ++inside;
    while (inside < 4) std::this_thread::yield();
  });
  EXPECT_EQ(inside.load(), 4);
}

TEST(thread_pool, worker_numbers_are_in_range_and_never_shared_at_one_time) {
  ThreadPool pool(4);
  std::vector<std::atomic<int>> inside(4);
  std::atomic<bool> clash{false};
  pool.for_each_worker(2000, [&](std::int64_t, int worker) {
    ASSERT_TRUE(worker >= 0 && worker < 4);
    if (++inside[static_cast<std::size_t>(worker)] != 1) clash = true;
    --inside[static_cast<std::size_t>(worker)];
  });
  EXPECT_FALSE(clash);
}

TEST(thread_pool, an_exception_comes_out_and_the_pool_goes_on_working) {
  ThreadPool pool(3);
  std::atomic<bool> thrown{false};
  std::atomic<int> visited{0};
  EXPECT_THROW(pool.for_each(100000,
                             [&](std::int64_t index) {
                               ++visited;
                               // The others may be through all rows before a thread that was put to sleep has thrown,
                               // or before the pool has what it threw.
                               while (index > 1000 && !thrown) std::this_thread::yield();
                               if (index > 1000) std::this_thread::sleep_for(std::chrono::microseconds(50));
                               if (index != 5) return;
                               thrown = true;
                               throw DataError("row 5");
                             }),
               DataError);
  EXPECT_LT(visited.load(), 100000);
  std::atomic<int> again{0};
  pool.for_each(50, [&](std::int64_t) { ++again; });
  EXPECT_EQ(again.load(), 50);
}

// A loop in a loop, and loops of several threads at once: each has its caller at work, so that none waits for another.
TEST(thread_pool, loops_within_loops_and_beside_each_other) {
  ThreadPool pool(4);
  std::atomic<std::int64_t> sum{0};
  const auto both = [&] {
    pool.for_each(20, [&](std::int64_t i) { pool.for_each(30, [&](std::int64_t j) { sum += i * j; }); });
  };
  std::thread beside(both);
  both();
  beside.join();
  EXPECT_EQ(sum.load(), 2 * 190 * 435);
}

// The first index goes on alone, until a thread that is through with its own comes to the loop inside of it. The thread
// that called the outer loop does not: it waits for that loop.
TEST(thread_pool, those_without_work_come_to_a_loop_within_a_body) {
  ThreadPool pool(3);
  std::atomic<int> inside{0}, visits{0};
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  pool.for_each(3, [&](std::int64_t index) {
    if (index != 0) {
      while (inside == 0 && std::chrono::steady_clock::now() < patience) std::this_thread::yield();
      return;
    }
    pool.for_each_idle(30, 3, [&](std::int64_t) {
      ++visits;
      ++inside;
      while (inside < 2 && std::chrono::steady_clock::now() < patience) std::this_thread::yield();
    });
  });
  EXPECT_EQ(visits.load(), 30);
  EXPECT_LT(std::chrono::steady_clock::now(), patience) << "nobody came";
}

std::size_t threads_of_this_process() {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) count += entry.exists() ? 1 : 0;
  return count;
}

TEST(thread_pool, pools_that_follow_each_other_use_the_same_threads) {
  const auto loop = [] {
    ThreadPool pool(5);
    std::atomic<int> inside{0};
    pool.for_each(5, [&](std::int64_t) {
      ++inside;
      while (inside < 5) std::this_thread::yield();
    });
  };
  loop();
  const std::size_t before = threads_of_this_process();
  for (int k = 0; k < 50; ++k) loop();
  EXPECT_LE(threads_of_this_process(), before + 4);
}

TEST(thread_pool, loops_by_the_idle_start_no_threads) {
  ThreadPool(3).for_each(100, [](std::int64_t) {});
  const std::size_t before = threads_of_this_process();
  std::atomic<int> visits{0};
  ThreadPool pool(64);
  pool.for_each_idle(1000, 64, [&](std::int64_t) { ++visits; });
  EXPECT_EQ(visits.load(), 1000);
  EXPECT_LE(threads_of_this_process(), before);
}

TEST(thread_pool, a_forked_child_has_threads_of_its_own) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer has no threads after a fork";
#endif
  ThreadPool(3).for_each(100, [](std::int64_t) {});
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::alarm(20);
    ThreadPool pool(3);
    std::atomic<int> inside{0};
    pool.for_each(3, [&](std::int64_t) {
      ++inside;
      while (inside < 3) std::this_thread::yield();
    });
    ::_exit(inside == 3 ? 7 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
}

TEST(thread_pool, zero_threads_means_all_there_are) {
  ThreadPool pool;
  EXPECT_GE(pool.threads(), 1);
}

}  // namespace
}  // namespace reber::testing
