// SPDX-License-Identifier: BSD-3-Clause
// A pool's threads at work on one job, so that every loop of the cpu backend stops when it is asked to.
#pragma once

#include <cstdint>

#include "core/base/thread_pool.hpp"
#include "core/seam/compute/job.hpp"

namespace reber::cpu {

/// Loops of a ThreadPool that ask the job before each index. Refers to both; as long as one operation.
class JobThreads {
 public:
  JobThreads(ThreadPool& pool, const Job& job) : pool_(pool), job_(job) {}

  [[nodiscard]] int threads() const { return pool_.threads(); }
  [[nodiscard]] ThreadPool& pool() const { return pool_; }
  [[nodiscard]] const Job& job() const { return job_; }

  /// ThreadPool::for_each.   throws Cancelled
  template <class Body>
  void for_each(std::int64_t count, const Body& body) const {
    pool_.for_each(count, [&](std::int64_t index) {
      job_.check();
      body(index);
    });
  }
  /// ThreadPool::for_each_worker.   throws Cancelled
  template <class Body>
  void for_each_worker(std::int64_t count, const Body& body) const {
    pool_.for_each_worker(count, [&](std::int64_t index, int worker) {
      job_.check();
      body(index, worker);
    });
  }

 private:
  ThreadPool& pool_;
  const Job& job_;
};

}  // namespace reber::cpu
