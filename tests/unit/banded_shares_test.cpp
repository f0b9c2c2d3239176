// SPDX-License-Identifier: BSD-3-Clause
// What cards of several kinds and sizes take of an image, played by backends that say so.
#include "kernels/banded/shares.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include "kernels/backends.hpp"
#include "kernels/banded/backend.hpp"
#include "tests/support/failing_maps.hpp"
#include "tests/support/testing.hpp"

namespace reber::banded {
namespace {

constexpr std::int64_t kGigabyte = std::int64_t{1} << 30;

void expect_shares(const std::vector<Ability>& members, std::int64_t bytes, const std::vector<double>& expected) {
  const std::vector<double> got = shares_of(members, bytes);
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t k = 0; k < got.size(); ++k) EXPECT_NEAR(got[k], expected[k], 1e-12) << k;
}

TEST(BandedShares, follow_the_rates_where_memory_holds_them) {
  expect_shares({{1}, {1}}, 0, {0.5, 0.5});
  expect_shares({{3}, {1}}, 100 * kGigabyte, {0.75, 0.25});
  expect_shares({{3, 80 * kGigabyte}, {1, 24 * kGigabyte}}, 40 * kGigabyte, {0.75, 0.25});
}

TEST(BandedShares, leave_no_card_more_than_its_memory) {
  expect_shares({{1, 80 * kGigabyte}, {1, 20 * kGigabyte}}, 80 * kGigabyte, {0.75, 0.25});
  expect_shares({{1, 10 * kGigabyte}, {1, 20 * kGigabyte}, {2, 70 * kGigabyte}}, 80 * kGigabyte, {0.125, 0.25, 0.625});
  expect_shares({{1, 60 * kGigabyte}, {9, 20 * kGigabyte}}, 400 * kGigabyte, {0.75, 0.25});
}

TEST(BandedShares, the_least_memory_bounds_the_bands) {
  EXPECT_EQ(least_memory({{1}, {1}, {1}, {1}}), 0.25);
  EXPECT_EQ(least_memory({{1, 60}, {9, 20}}), 0.25);
}

/// A card of a kind, with a memory, that takes so long for a mesh.
class StandIn final : public testing::FailingMaps {
 public:
  StandIn(std::string kind, std::int64_t memory_bytes, int mesh_ms)
      : FailingMaps(testing::fresh_backend("cpu", {0, 1, 0}), memory_bytes), kind_(std::move(kind)), mesh_(mesh_ms) {}
  [[nodiscard]] BackendInfo info() const override {
    BackendInfo info = FailingMaps::info();
    info.device = kind_;
    return info;
  }
  MeshCells mesh(const Plane& plane, const MeshGrid& grid, const MeshOptions& options, const Job& job) override {
    std::this_thread::sleep_for(mesh_);
    return FailingMaps::mesh(plane, grid, options, job);
  }

 private:
  std::string kind_;
  std::chrono::milliseconds mesh_;
};

std::vector<std::unique_ptr<Backend>> cards(const std::vector<std::pair<const char*, int>>& kinds_and_ms,
                                            std::int64_t second_memory) {
  std::vector<std::unique_ptr<Backend>> members;
  for (const auto& [kind, ms] : kinds_and_ms)
    members.push_back(std::make_unique<StandIn>(kind, members.empty() ? 8 * kGigabyte : second_memory, ms));
  return members;
}

TEST(BandedShares, rates_are_tried_where_cards_are_not_alike) {
  const auto alike = abilities_of(cards({{"One (card 0, ...)", 500}, {"One (card 1, ...)", 0}}, 8 * kGigabyte));
  EXPECT_EQ(alike[0].rate, alike[1].rate) << "nothing is tried";
  for (const auto& members : {cards({{"Slow (card 0)", 400}, {"Quick (card 1)", 100}}, 8 * kGigabyte),
                              cards({{"One (card 0)", 400}, {"One (card 1)", 100}}, 4 * kGigabyte)}) {
    const auto abilities = abilities_of(members);
    EXPECT_GT(abilities[1].rate, 1.5 * abilities[0].rate);
    EXPECT_LT(abilities[1].rate, 5 * abilities[0].rate);
  }
}

TEST(BandedShares, the_whole_has_all_memory) {
  auto members = cards({{"Large", 0}, {"Small", 0}}, 2 * kGigabyte);
  std::vector<Ability> abilities{{1, 8 * kGigabyte}, {1, 2 * kGigabyte}};
  EXPECT_EQ(make(std::move(members), abilities, LogSink())->info().device_memory_bytes, 10 * kGigabyte);
}

}  // namespace
}  // namespace reber::banded
