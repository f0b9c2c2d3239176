// SPDX-License-Identifier: BSD-3-Clause
// Hands problems to threads, each with a workspace of its own that grows to the largest problem it meets.
#include "kernels/cpu/fit.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <numeric>
#include <vector>

#include "kernels/cpu/fit_noise.hpp"
#include "kernels/cpu/fit_thread.hpp"
#include "kernels/shared/fit_problem.hpp"
#include "kernels/shared/fit_sizes.hpp"

namespace reber::cpu {
namespace {

/// What a thread keeps between problems.
struct Workspace {
  std::vector<double> doubles;
  FitThread::Room room;
};

/// One component of free shape and the residual, padded: most problems.
using EightColumns = std::integral_constant<int, 8>;

template <class Columns>
FitOutcome solve(const FitInput& input, int parameters, Columns columns, Workspace& workspace, FittedGaussian* fitted,
                 const JobThreads& threads) {
  // The factor lies in the thread's room; in its place of the workspace is one more table alone.
  const FitLayout layout = layout_of(input.pixels, parameters, columns, input.components, false, true);
  const auto doubles = static_cast<std::size_t>(layout.size + layout.matrix_size);
  if (workspace.doubles.size() < doubles) workspace.doubles.resize(doubles);
  const FitThread thread(threads, workspace.room);
  return ProblemFit<FitThread, Columns>(thread, input, parameters, columns, workspace.doubles.data(),
                                        workspace.doubles.data() + layout.size)
      .run(fitted);
}

FitOutcome solve(const FitBatch& batch, const FitProblem& problem, Workspace& workspace, FittedGaussian* fitted,
                 const JobThreads& threads) {
  const FitPixels& pixels = batch.pixels;
  const auto view = [](const NoiseCorrelation& noise) {
    return CorrelationView{noise.values().data(), static_cast<int>(noise.reach())};
  };
  const FitInput input{pixels.y.data() + problem.first_pixel,
                       pixels.x.data() + problem.first_pixel,
                       pixels.value.data() + problem.first_pixel,
                       pixels.rms.data() + problem.first_pixel,
                       static_cast<int>(problem.pixels),
                       batch.start.data() + problem.first_component,
                       batch.bounds.data() + problem.first_component,
                       static_cast<int>(problem.components),
                       problem.correlated,
                       problem.useful_chi2,
                       view(batch.weights),
                       view(batch.errors)};
  const int parameters = parameters_of(batch, problem);
  if (parameters == 6) return solve(input, parameters, EightColumns{}, workspace, fitted, threads);
  constexpr int kTogether = OneThread::together;
  return solve(input, parameters, (parameters + kTogether) / kTogether * kTogether, workspace, fitted, threads);
}

/// A problem and the places of its answer.
struct Question {
  const FitProblem* problem;
  FitOutcome* outcome;
  FittedGaussian* fitted;
};

/// Solves question_of(i) for i of [0, count), those of small numbers first.
template <class QuestionOf>
void solve_each(const FitBatch& batch, std::int64_t count, const JobThreads& threads, const QuestionOf& question_of) {
  std::vector<Workspace> workspaces(static_cast<std::size_t>(threads.threads()));
  std::atomic<std::size_t> finished = 0;
  threads.for_each_worker(count, [&](std::int64_t i, int worker) {
    const Question one = question_of(i);
    *one.outcome = solve(batch, *one.problem, workspaces[static_cast<std::size_t>(worker)], one.fitted, threads);
    const std::size_t done = ++finished;
    if (worker == 0) threads.job().report("fit", static_cast<double>(done) / static_cast<double>(count));
  });
  threads.job().report("fit", 1);
  threads.job().check();  // told while the last were solved
}

}  // namespace

FitResults fit(const FitBatch& batch, const JobThreads& threads) {
  check_batch(batch);
  FitResults results;
  results.problems.resize(batch.problems.size());
  results.components.resize(batch.start.size());
  // Large problems first, so that no thread is left alone with one at the end.
  std::vector<std::size_t> order(batch.problems.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return batch.problems[i].pixels; });
  solve_each(batch, static_cast<std::int64_t>(order.size()), threads, [&](std::int64_t i) {
    const std::size_t at = order[static_cast<std::size_t>(i)];
    const FitProblem& problem = batch.problems[at];
    return Question{&problem, &results.problems[at], results.components.data() + problem.first_component};
  });
  return results;
}

FitResults fit_some(const FitBatch& batch, std::span<const std::int32_t> which, ThreadPool& pool, const Job& job) {
  const JobThreads threads(pool, job);
  std::vector<std::int64_t> first{0};
  first.reserve(which.size() + 1);
  for (const std::int32_t at : which)
    first.push_back(first.back() + batch.problems[static_cast<std::size_t>(at)].components);
  FitResults results;
  results.problems.resize(which.size());
  results.components.resize(static_cast<std::size_t>(first.back()));
  solve_each(batch, static_cast<std::int64_t>(which.size()), threads, [&](std::int64_t i) {
    const auto k = static_cast<std::size_t>(i);
    return Question{&batch.problems[static_cast<std::size_t>(which[k])], &results.problems[k],
                    results.components.data() + first[k]};
  });
  return results;
}

}  // namespace reber::cpu
