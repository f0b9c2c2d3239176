// SPDX-License-Identifier: BSD-3-Clause
// Batches of some of the problems: each is solved by itself, so whoever solves it gives the same bits.
#include "kernels/banded/fit.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <utility>

namespace reber::banded {
namespace {

/// Problems for which a batch is not divided further; deals for each member.
constexpr std::size_t kFewProblems = 256, kDeals = 3;

/// What a problem costs, about: of banded factors, the pixels times their squared width.
double cost_of(const FitProblem& problem) {
  const auto pixels = static_cast<double>(problem.pixels);
  return problem.correlated ? pixels * pixels : pixels;
}

FitBatch some_of(const FitBatch& batch, const std::vector<std::size_t>& which) {
  FitBatch some;
  some.weights = batch.weights;
  some.errors = batch.errors;
  some.pixels.stand_for = batch.pixels.stand_for;
  const auto append = [](auto& to, const auto& from, std::int64_t first, std::int64_t count) {
    to.insert(to.end(), from.begin() + first, from.begin() + first + count);
  };
  for (const std::size_t k : which) {
    FitProblem problem = batch.problems[k];
    const std::int64_t pixel = problem.first_pixel, component = problem.first_component;
    problem.first_pixel = std::ssize(some.pixels.value);
    problem.first_component = std::ssize(some.start);
    append(some.pixels.y, batch.pixels.y, pixel, problem.pixels);
    append(some.pixels.x, batch.pixels.x, pixel, problem.pixels);
    append(some.pixels.value, batch.pixels.value, pixel, problem.pixels);
    append(some.pixels.rms, batch.pixels.rms, pixel, problem.pixels);
    append(some.start, batch.start, component, problem.components);
    append(some.bounds, batch.bounds, component, problem.components);
    some.problems.push_back(problem);
  }
  return some;
}

}  // namespace

FitResults fit(Members& members, const FitBatch& batch, const Job& job) {
  const std::size_t count = batch.problems.size();
  if (count < 2 || members.count() < 2) {
    FitResults results;
    members.run({{0, [&](Backend& by, const Job& own) { results = by.fits().fit(batch, own); }}}, job);
    return results;
  }
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return cost_of(batch.problems[a]) > cost_of(batch.problems[b]); });
  const std::size_t deals =
      std::min(count, members.count() * (count > kFewProblems * members.count() ? kDeals : std::size_t{1}));
  FitResults all{std::vector<FitOutcome>(count), std::vector<FittedGaussian>(batch.start.size())};
  std::atomic<std::size_t> next{0};
  std::vector<char> done(deals, 0);
  const auto solve = [&](std::size_t deal, Backend& by, const Job& own) {
    std::vector<std::size_t> which;
    for (std::size_t k = deal; k < count; k += deals) which.push_back(order[k]);
    const FitResults results = by.fits().fit(some_of(batch, which), own);
    std::int64_t at = 0;
    for (std::size_t n = 0; n < which.size(); ++n) {
      const FitProblem& problem = batch.problems[which[n]];
      all.problems[which[n]] = results.problems[n];
      std::copy_n(results.components.begin() + at, problem.components,
                  all.components.begin() + problem.first_component);
      at += problem.components;
    }
    done[deal] = 1;
  };
  std::vector<Members::Task> tasks;
  for (std::size_t m = 0; m < members.count(); ++m)
    tasks.push_back({m, [&](Backend& by, const Job& own) {
                       for (std::size_t deal = next++; deal < deals; deal = next++) solve(deal, by, own);
                     }});
  members.run(tasks, job);
  // What a card had taken when it failed.
  for (std::size_t deal = 0; deal < deals; ++deal)
    if (done[deal] == 0) members.run({{deal, [&](Backend& by, const Job& own) { solve(deal, by, own); }}}, job);
  return all;
}

}  // namespace reber::banded
