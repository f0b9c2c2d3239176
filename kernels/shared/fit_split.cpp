// SPDX-License-Identifier: BSD-3-Clause
// The costs, from sizes alone, and the best number of problems for the host.
#include "kernels/shared/fit_split.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/shared/fit_problem.hpp"
#include "kernels/shared/fit_sizes.hpp"

namespace reber {
namespace {

/// Evaluations that a fit takes: 5 to 12 of isolated points; several components go by small steps, of which a card
/// evaluates those that are refused as well (H100: 347 pixels and four components take a block 50 ms, a thread 5).
double rounds_of(const FitProblem& problem, bool by_card) {
  constexpr double kOfOne = 12, kOfSeveral = 20, kOfSeveralByCard = 90;
  return problem.components <= 1 ? kOfOne : by_card ? kOfSeveralByCard : kOfSeveral;
}
/// More problems than this are too many for the host: the longest of them are enough to choose from.
constexpr std::size_t kMostForHost = 4096;

/// Multiply-adds of a thread of a processor, which leaves out what the reach of the weights makes zero.
double host_work(const FitBatch& batch, const FitProblem& problem, int parameters) {
  const auto first = static_cast<std::size_t>(problem.first_pixel);
  const double n = static_cast<double>(problem.pixels), columns = dense::padded(parameters + 1);
  const double rows =
      batch.pixels.y[first + static_cast<std::size_t>(problem.pixels) - 1] - batch.pixels.y[first] + 1.0;
  const double reach = static_cast<double>(batch.weights.reach()) + 1;
  const double band = std::min(n, n / rows * reach), triangle = n * band - 0.5 * band * band;
  const double factor = problem.correlated ? 0.5 * n * band * band - band * band * band / 3 : 0;
  const double round = n * (columns * columns / 2 + 30 * static_cast<double>(problem.components)) +
                       (problem.correlated ? triangle * columns : 0);
  return factor + rounds_of(problem, false) * round + 3 * triangle * columns;
}

/// Steps of a block that its members wait for each other in: four rows of a triangle at a time, two a step.
double card_steps(const FitProblem& problem, int parameters) {
  const double n = static_cast<double>(problem.correlated ? problem.pixels : 0);
  return n / 2 + rounds_of(problem, true) * (n / 2 + 2.5 * parameters + 8);
}

double card_work(const FitProblem& problem, int parameters) {
  const double n = static_cast<double>(problem.pixels), columns = parameters + 1;
  const double round = n * (columns * columns + 30 * static_cast<double>(problem.components)) +
                       (problem.correlated ? 0.5 * n * n * columns : 0);
  return (problem.correlated ? n * n * n / 6 : 0) + rounds_of(problem, true) * round + n * n * columns;
}

/// One problem and what it takes.
struct Costed {
  std::int32_t problem;
  FitCost cost;
};

/// Problems of each place, all of the batch being here or there.
FitShares shares_of(std::size_t count, std::vector<std::int32_t> host) {
  std::vector<std::uint8_t> taken(count, 0);
  for (const std::int32_t at : host) taken[static_cast<std::size_t>(at)] = 1;
  FitShares shares{std::move(host), {}};
  shares.card.reserve(count - shares.host.size());
  for (std::size_t i = 0; i < count; ++i)
    if (taken[i] == 0) shares.card.push_back(static_cast<std::int32_t>(i));
  return shares;
}

/// How many of the first of `costed`, the longest first, are best with the host.   rest: the sum of what the card takes
/// of its multiprocessors for those that are not among them, in ms;   all: whether there are none. Of ends that are
/// alike the one with no problem on the card is taken, else the one with the fewest on the host: the end of the longest
/// problem is often that of every share, and a card that is not asked cannot be late.
std::size_t best_share(const std::vector<Costed>& costed, double rest, bool all, const FitMachine& machine) {
  double load = rest;
  for (const Costed& one : costed) load += one.cost.card_ms * one.cost.part;
  double host = 0, longest = 0, least = 0;
  std::size_t best = 0;
  for (std::size_t k = 0; k <= costed.size(); ++k) {
    const bool card_idle = all && k == costed.size();
    const double alone = k < costed.size() ? costed[k].cost.card_ms : 0;
    const double card = card_idle ? 0 : machine.card_start_ms + std::max(alone, load / machine.multiprocessors);
    const double end = std::max({card, longest, host / machine.threads});
    if (k == 0 || end < least || (card_idle && end == least)) least = end, best = k;
    if (k == costed.size()) break;
    host += costed[k].cost.host_ms, longest = std::max(longest, costed[k].cost.host_ms);
    load -= costed[k].cost.card_ms * costed[k].cost.part;
  }
  return best;
}

}  // namespace

FitCost fit_cost(const FitBatch& batch, const FitProblem& problem, const FitMachine& machine) {
  // Milliseconds of a problem, multiply-adds a millisecond, milliseconds of a step: a core of a Xeon, measured; an
  // H200, from what 100 000 points of 39 pixels take (37 ms) and six of up to 684 (9 ms), whose matrix lies apart.
  constexpr double kHostStart = 3e-3, kHostRate = 7e6, kCardStart = 0.02, kCardStep = 0.5e-3, kCardRate = 2e7;
  constexpr double kApartRate = 7e6;
  constexpr double kMostBlocks = 8;
  if (problem.pixels == 0) return {kHostStart, kCardStart, 1 / kMostBlocks};
  const int parameters = parameters_of(batch, problem);
  const FitLayout layout =
      layout_of(problem.pixels, parameters, parameters + 1, static_cast<int>(problem.components), problem.correlated);
  const double bytes = static_cast<double>(layout.size) * sizeof(double);
  const double part = bytes / static_cast<double>(machine.shared_bytes_per_sm);
  return {kHostStart + host_work(batch, problem, parameters) / kHostRate,
          kCardStart + kCardStep * card_steps(problem, parameters) +
              card_work(problem, parameters) / (part <= 1 ? kCardRate : kApartRate),
          std::clamp(part, 1 / kMostBlocks, 1.0)};
}

FitShares share_fits(const FitBatch& batch, const FitMachine& machine, FitPlaces places, ThreadPool& pool) {
  const std::size_t count = batch.problems.size();
  if (places == FitPlaces::card) return shares_of(count, {});
  std::vector<Costed> costed(count);
  constexpr std::size_t kTogether = 1024;  // problems of a thread's turn
  pool.for_each(static_cast<std::int64_t>((count + kTogether - 1) / kTogether), [&](std::int64_t turn) {
    const std::size_t first = static_cast<std::size_t>(turn) * kTogether;
    for (std::size_t i = first; i < std::min(first + kTogether, count); ++i)
      costed[i] = {static_cast<std::int32_t>(i), fit_cost(batch, batch.problems[i], machine)};
  });
  const auto longer = [](const Costed& a, const Costed& b) {
    return a.cost.card_ms != b.cost.card_ms ? a.cost.card_ms > b.cost.card_ms : a.problem < b.problem;
  };
  const std::size_t kept = places == FitPlaces::by_cost ? std::min(count, kMostForHost) : count;
  if (kept < count) std::ranges::nth_element(costed, costed.begin() + static_cast<std::ptrdiff_t>(kept), longer);
  double rest = 0;
  for (std::size_t k = kept; k < count; ++k) rest += costed[k].cost.card_ms * costed[k].cost.part;
  costed.resize(kept);
  std::ranges::sort(costed, longer);
  if (places == FitPlaces::by_cost) costed.resize(best_share(costed, rest, kept == count, machine));
  std::vector<std::int32_t> host;
  host.reserve(costed.size());
  for (const Costed& one : costed)
    if (places != FitPlaces::both || one.problem % 2 == 1) host.push_back(one.problem);
  return shares_of(count, std::move(host));
}

void put_results(const FitBatch& batch, std::span<const std::int32_t> which, const FitResults& from, FitResults& to) {
  auto next = from.components.begin();
  for (std::size_t k = 0; k < which.size(); ++k) {
    const auto at = static_cast<std::size_t>(which[k]);
    const FitProblem& problem = batch.problems[at];
    to.problems[at] = from.problems[k];
    std::copy_n(next, problem.components, to.components.begin() + problem.first_component);
    next += problem.components;
  }
}

}  // namespace reber
