// SPDX-License-Identifier: BSD-3-Clause
// Which problems of a batch a card and which the host solves: all of them once, the host the longest.
#include "kernels/shared/fit_split.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace reber {
namespace {

ThreadPool& pool() {
  static ThreadPool two(2);
  return two;
}

/// Round islands of these numbers of pixels, one component each.
FitBatch batch_of(const std::vector<int>& sizes) {
  FitBatch batch;
  batch.weights = batch.errors = NoiseCorrelation::of_shape({25, 0, 25});
  for (const int size : sizes) {
    FitPixels pixels;
    const auto side = static_cast<std::int32_t>(std::max(1.0, std::sqrt(size)));
    for (std::int32_t i = 0; i < size; ++i) {
      pixels.y.push_back(i / side), pixels.x.push_back(i % side);
      pixels.value.push_back(1), pixels.rms.push_back(1);
    }
    batch.add(pixels, {GaussianComponent{10, 3, 3, {25, 0, 25}}}, {FitBounds{2, 3, 30, true}}, true);
  }
  return batch;
}

FitMachine card_and(int threads) { return {threads, 132, 228 << 10, 1.5}; }

void expect_all_once(const FitShares& shares, std::size_t count) {
  std::set<std::int32_t> all(shares.host.begin(), shares.host.end());
  all.insert(shares.card.begin(), shares.card.end());
  EXPECT_EQ(all.size(), count);
  EXPECT_EQ(shares.host.size() + shares.card.size(), count);
  EXPECT_TRUE(std::ranges::is_sorted(shares.card));
}

TEST(FitSplit, few_problems_are_the_hosts) {
  const std::vector<int> sizes(60, 45);
  const FitShares shares = share_fits(batch_of(sizes), card_and(16), FitPlaces::by_cost, pool());
  EXPECT_TRUE(shares.card.empty());
  expect_all_once(shares, sizes.size());
}

TEST(FitSplit, the_longest_of_few_are_the_hosts) {
  std::vector<int> sizes(130, 45);
  sizes[7] = 600, sizes[99] = 500;
  const FitShares shares = share_fits(batch_of(sizes), card_and(16), FitPlaces::by_cost, pool());
  expect_all_once(shares, sizes.size());
  ASSERT_GE(shares.host.size(), 2U);
  EXPECT_EQ(shares.host[0], 7);
  EXPECT_EQ(shares.host[1], 99);
}

TEST(FitSplit, the_card_is_left_alone_where_it_makes_nothing_sooner) {
  // The longest problem ends last whoever has the others.
  std::vector<int> sizes(120, 45);
  sizes[31] = 900;
  const FitBatch batch = batch_of(sizes);
  const FitMachine machine = card_and(16);
  double host = 0, longest = 0;
  for (const FitProblem& problem : batch.problems) {
    const double ms = fit_cost(batch, problem, machine).host_ms;
    host += ms, longest = std::max(longest, ms);
  }
  ASSERT_LT(host / machine.threads, longest);
  ASSERT_LT(machine.card_start_ms, longest);
  const FitShares shares = share_fits(batch, machine, FitPlaces::by_cost, pool());
  EXPECT_TRUE(shares.card.empty());
  expect_all_once(shares, sizes.size());
}

TEST(FitSplit, many_problems_are_shared_and_the_host_has_the_longest) {
  std::vector<int> sizes(20000, 40);
  for (std::size_t i = 0; i < 12; ++i) sizes[1500 * i] = 400 + 20 * static_cast<int>(i);
  const FitBatch batch = batch_of(sizes);
  const FitMachine machine = card_and(16);
  const FitShares shares = share_fits(batch, machine, FitPlaces::by_cost, pool());
  expect_all_once(shares, sizes.size());
  ASSERT_GE(shares.host.size(), 12U);
  EXPECT_EQ(shares.host[0], 1500 * 11);
  EXPECT_GT(shares.card.size(), 10000U);
  // Of one thread less is asked than of sixteen.
  EXPECT_LT(share_fits(batch, card_and(1), FitPlaces::by_cost, pool()).host.size(), shares.host.size());
  double host = 0, least_of_host = 1e9, most_of_card = 0;
  for (const std::int32_t at : shares.host) {
    const FitCost cost = fit_cost(batch, batch.problems[static_cast<std::size_t>(at)], machine);
    host += cost.host_ms, least_of_host = std::min(least_of_host, cost.card_ms);
  }
  for (const std::int32_t at : shares.card)
    most_of_card =
        std::max(most_of_card, fit_cost(batch, batch.problems[static_cast<std::size_t>(at)], machine).card_ms);
  EXPECT_GE(least_of_host, most_of_card);
  EXPECT_LT(host / machine.threads, 20);
}

TEST(FitSplit, tests_choose_who_solves) {
  const FitBatch batch = batch_of({40, 0, 300, 7, 60});
  EXPECT_EQ(share_fits(batch, card_and(4), FitPlaces::card, pool()).card, (std::vector<std::int32_t>{0, 1, 2, 3, 4}));
  const FitShares host = share_fits(batch, card_and(4), FitPlaces::host, pool());
  EXPECT_TRUE(host.card.empty());
  expect_all_once(host, 5);
  const FitShares both = share_fits(batch, card_and(4), FitPlaces::both, pool());
  EXPECT_EQ(both.card, (std::vector<std::int32_t>{0, 2, 4}));
  expect_all_once(both, 5);
  expect_all_once(share_fits({}, card_and(4), FitPlaces::by_cost, pool()), 0);
}

TEST(FitSplit, results_of_the_host_come_to_their_places) {
  FitBatch batch = batch_of({9, 9, 9});
  batch.problems[1].components = 0, batch.problems[1].first_component = 0;
  FitResults host, all;
  host.problems.resize(2), host.components.resize(1);
  host.problems[0].chi2 = 5, host.problems[1].chi2 = 7, host.components[0].component.peak = 3;
  all.problems.resize(3), all.components.resize(3);
  const std::vector<std::int32_t> which{2, 1};
  put_results(batch, which, host, all);
  EXPECT_EQ(all.problems[0].chi2, 0);
  EXPECT_EQ(all.problems[1].chi2, 7);
  EXPECT_EQ(all.problems[2].chi2, 5);
  EXPECT_EQ(all.components[2].component.peak, 3);
  EXPECT_EQ(all.components[0].component.peak, 0);
}

}  // namespace
}  // namespace reber
