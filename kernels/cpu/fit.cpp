// SPDX-License-Identifier: BSD-3-Clause
// Hands problems to threads.
#include "kernels/cpu/fit.hpp"

#include <atomic>

#include "kernels/reference/plane.hpp"

namespace reber::cpu {

FitResults fit(const FitBatch& batch, ThreadPool& pool, const Progress& progress) {
  FitResults results;
  results.problems.resize(batch.problems.size());
  results.components.resize(batch.start.size());
  std::atomic<std::size_t> finished = 0;
  pool.for_each_worker(static_cast<std::int64_t>(batch.problems.size()), [&](std::int64_t i, int worker) {
    progress.check();
    const FitProblem& problem = batch.problems[static_cast<std::size_t>(i)];
    results.problems[static_cast<std::size_t>(i)] =
        reference::fit_problem(batch, problem, results.components.data() + problem.first_component);
    const std::size_t done = ++finished;
    if (worker == 0) progress.report("fit", static_cast<double>(done) / static_cast<double>(batch.problems.size()));
  });
  return results;
}

}  // namespace reber::cpu
