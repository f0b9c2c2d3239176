// SPDX-License-Identifier: BSD-3-Clause
// Cells that are sifted have the bits of cells that are sorted, and most cells are sifted.
#include "kernels/cpu/cell_sift.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "kernels/cpu/mesh_cell.hpp"

namespace reber::cpu {
namespace {

constexpr std::int64_t kCells = 60;

/// A row of cells of side x side pixels, and what the row holds behind its end.
struct Row {
  explicit Row(std::int64_t of) : side(of), nx(kCells * of), pixels(static_cast<std::size_t>(of * nx + 64)) {}
  [[nodiscard]] HeldRows held() const { return {pixels.data(), 0, nx, {}}; }
  [[nodiscard]] Rect cell(std::int64_t k) const { return {0, k * side, side, side}; }

  std::int64_t side, nx;
  std::vector<float> pixels;
};

using Pixel = std::function<double(std::mt19937&, std::int64_t index)>;

Row row_of(std::int64_t side, const Pixel& pixel) {
  Row row(side);
  std::mt19937 random(77);
  for (std::int64_t i = 0; i < side * row.nx; ++i)
    row.pixels[static_cast<std::size_t>(i)] = static_cast<float>(pixel(random, i));
  return row;
}

double noise(std::mt19937& random) { return std::normal_distribution<double>()(random); }

struct Case {
  std::string name;
  std::int64_t side;
  double least_sifted;  ///< part of the cells
  Pixel pixel;
};

std::vector<Case> cases() {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  return {
      {"noise", 64, .9, [](auto& r, auto) { return noise(r); }},
      {"noise of an odd side", 37, .9, [](auto& r, auto) { return 3e-5 * noise(r); }},
      {"wide cells", 200, .9, [](auto& r, auto) { return noise(r); }},
      {"far from zero", 64, .9, [](auto& r, auto) { return 1e4 + noise(r); }},
      {"coarse steps far from zero", 64, 0, [](auto& r, auto) { return 1e7 + noise(r); }},
      {"negative", 64, .9, [](auto& r, auto) { return -5 + .1 * noise(r); }},
      {"large", 64, .9, [](auto& r, auto) { return 1e28 * noise(r); }},
      {"tiny", 64, .9, [](auto& r, auto) { return 1e-28 * noise(r); }},
      {"smaller than any unit", 64, 0, [](auto& r, auto) { return 1e-42 * noise(r); }},
      {"a slope", 64, .9, [](auto& r, auto i) { return noise(r) + .01 * static_cast<double>(i % 64); }},
      {"blank pixels", 64, .9, [nan](auto& r, auto i) { return i % 7 == 3 ? nan : noise(r); }},
      {"infinite pixels", 64, .9, [infinity](auto& r, auto i) { return i % 11 == 3 ? -infinity : noise(r); }},
      {"sources", 64, .8, [](auto& r, auto i) { return noise(r) + (i / 5 % 12 == 0 ? std::exp(noise(r) * 2) : 0); }},
      {"heavy tails", 64, .5, [](auto& r, auto) { return std::student_t_distribution<double>(2)(r); }},
      {"skewed", 64, 0, [](auto& r, auto) { return std::exp(noise(r)); }},
      {"two values", 64, 0, [](auto& r, auto) { return r() % 2 == 0 ? 1.0 : 2.0; }},
      {"whole numbers", 64, 0, [](auto& r, auto) { return std::nearbyint(3 * noise(r)); }},
      {"all alike", 64, 0, [](auto&, auto) { return 4.5; }},
      {"zeros and noise", 64, 0, [](auto& r, auto i) { return i % 2 == 0 ? 0.0 : noise(r); }},
      {"a tiny one among them", 64, 0, [](auto& r, auto i) { return i % 5000 == 7 ? 1e-30 : noise(r); }},
      {"one beyond all", 64, .8, [](auto& r, auto i) { return i % 5000 == 7 ? 1e30 : noise(r); }},
  };
}

TEST(CellSift, SiftedCellsHaveTheBitsOfSortedOnes) {
  for (const Case& one : cases()) {
    const Row row = row_of(one.side, one.pixel);
    for (const double kappa : {3.0, 2.0, 4.5, 1.2}) {
      for (const int rounds : {50, 2, 0}) {
        const CellRules rules{{kappa, rounds}, .98, .1, 2.5};
        CellScratch scratch;
        std::int64_t sifted = 0;
        for (std::int64_t k = 0; k < kCells; ++k) {
          const ClippedCell right = sorted_cell(row.held(), row.cell(k), rules, scratch);
          scratch.sift.gather(row.held(), row.cell(k), k % 2 == 0 && k + 1 < kCells);
          const auto found = scratch.sift.clip(rules.clip);
          if (!found) continue;
          ++sifted;
          const auto same = [](double a, double b) {
            return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
          };
          EXPECT_TRUE(same(found->median, right.median) && same(found->mean, right.mean) && same(found->std, right.std))
              << one.name << ", cell " << k << ", kappa " << kappa << ", " << rounds << " rounds: " << found->median
              << " " << found->mean << " " << found->std << " for " << right.median << " " << right.mean << " "
              << right.std;
        }
        if (kappa == 3 && rounds == 50) {
          EXPECT_GE(static_cast<double>(sifted), one.least_sifted * kCells) << one.name;
        }
      }
    }
  }
}

TEST(CellSift, CellsThatDoNotFitAreSorted) {
  const Row row = row_of(20, [](auto& r, auto) { return noise(r); });
  CellScratch scratch;
  scratch.sift.gather(row.held(), row.cell(0), false);
  EXPECT_FALSE(scratch.sift.clip({3, 50}));  // 400 pixels
  const CellRules rules{{3, 50}, .98, .1, 2.5};
  EXPECT_EQ(clipped_cell(row.held(), row.cell(0), rules, scratch).std,
            sorted_cell(row.held(), row.cell(0), rules, scratch).std);
}

TEST(CellSift, TooFewFinitePixelsAreBlank) {
  const Row row = row_of(64, [](auto& r, auto i) { return i % 20 == 0 ? noise(r) : std::nan(""); });
  CellScratch scratch;
  EXPECT_TRUE(std::isnan(clipped_cell(row.held(), row.cell(3), {{3, 50}, .98, .5, 2.5}, scratch).std));
}

}  // namespace
}  // namespace reber::cpu
