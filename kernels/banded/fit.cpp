// SPDX-License-Identifier: BSD-3-Clause
// Batches of some of the problems: each is solved by itself, so whoever solves it gives the same bits.
#include "kernels/banded/fit.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <utility>

#include "kernels/shared/fit_sizes.hpp"

namespace reber::banded {
namespace {

/// Problems for which a batch is not divided further; deals for each member.
constexpr std::size_t kFewProblems = 256, kDeals = 3;
/// Below this many problems other processes would be waited for longer than all are solved.
constexpr std::size_t kWorthSharing = 64;

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

/// Some of the problems, and what became of them.
struct Deal {
  std::vector<std::size_t> which;
  FitResults results = {};
  bool done = false;

  void solve(const FitBatch& batch, Backend& by, const Job& job) {
    results = by.fits().fit(some_of(batch, which), job);
    done = true;
  }
};

/// The next one to whichever member is free.
void deal_out(Members& members, const FitBatch& batch, std::vector<Deal>& deals, const Job& job) {
  std::atomic<std::size_t> next{0};
  std::vector<Members::Task> tasks;
  for (std::size_t m = 0; m < members.count(); ++m)
    tasks.push_back({m, [&](Backend& by, const Job& own) {
                       for (std::size_t k = next++; k < deals.size(); k = next++) deals[k].solve(batch, by, own);
                     }});
  members.run(tasks, job);
  // What a card had taken when it failed.
  for (std::size_t k = 0; k < deals.size(); ++k)
    if (!deals[k].done) members.run({{k, [&](Backend& by, const Job& own) { deals[k].solve(batch, by, own); }}}, job);
}

/// One to each process.
void share(Members& members, const FitBatch& batch, std::vector<Deal>& deals, const Job& job) {
  std::vector<Members::Task> tasks;
  for (std::size_t k = 0; k < deals.size(); ++k)
    tasks.push_back({k, [&, k](Backend& by, const Job& own) { deals[k].solve(batch, by, own); }});
  members.share(
      tasks,
      [&](std::size_t k, Packed& to) {
        to.add(deals[k].results.problems);
        to.add(deals[k].results.components);
      },
      [&](std::size_t k, Unpacked& from) {
        deals[k].results.problems = from.next<FitOutcome>();
        deals[k].results.components = from.next<FittedGaussian>();
      },
      job);
}

}  // namespace

FitResults fit(Members& members, const FitBatch& batch, const Job& job) {
  check_batch(batch);
  const std::size_t count = batch.problems.size();
  if (count < 2 || members.count() < 2 || (members.others() != nullptr && count < kWorthSharing)) {
    FitResults results;
    members.run({{0, [&](Backend& by, const Job& own) { results = by.fits().fit(batch, own); }}}, job);
    return results;
  }
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return cost_of(batch.problems[a]) > cost_of(batch.problems[b]); });
  const bool many = members.others() == nullptr && count > kFewProblems * members.count();
  std::vector<Deal> deals(std::min(count, members.count() * (many ? kDeals : std::size_t{1})));
  for (std::size_t k = 0; k < count; ++k) deals[k % deals.size()].which.push_back(order[k]);
  members.others() != nullptr ? share(members, batch, deals, job) : deal_out(members, batch, deals, job);
  FitResults all{std::vector<FitOutcome>(count), std::vector<FittedGaussian>(batch.start.size())};
  for (const Deal& deal : deals) {
    auto from = deal.results.components.begin();
    for (std::size_t n = 0; n < deal.which.size(); ++n) {
      const FitProblem& problem = batch.problems[deal.which[n]];
      all.problems[deal.which[n]] = deal.results.problems[n];
      std::copy_n(from, problem.components, all.components.begin() + problem.first_component);
      from += problem.components;
    }
  }
  return all;
}

}  // namespace reber::banded
