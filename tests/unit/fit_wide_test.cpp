// SPDX-License-Identifier: BSD-3-Clause
// Steps of fits in wide vectors give the bits of the narrow ones, whatever the number of columns and pixels.
#include "kernels/cpu/fit_wide.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "kernels/shared/dense.hpp"

namespace reber::cpu {
namespace {

struct Problem {
  std::vector<std::int32_t> y, x;
  std::vector<double> value, rms, inverse_rms;
  std::vector<FitBounds> bounds;
  std::vector<model::Shape> shapes;
  int columns = 0;

  Problem(int pixels, int components, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> part(0.5, 1.5);
    const int across = static_cast<int>(std::sqrt(pixels)) + 3;
    for (int i = 0; i < pixels; ++i) {
      y.push_back(i / across), x.push_back(i % across + 40);
      value.push_back(part(random)), rms.push_back(part(random)), inverse_rms.push_back(1 / rms.back());
    }
    for (int k = 0; k < components; ++k) {
      bounds.push_back({1, 1, 9, k % 3 != 1});
      columns += model::free_parameters(bounds.back());
      // One of them so far away that it has nothing on the pixels.
      const double away = k == 3 ? 4000 : 0;
      shapes.push_back({part(random), 43 + 3 * part(random) + away, 3 * part(random), 0.05, 0.01, 0.08 * part(random)});
    }
    columns = (columns + 4) / 4 * 4;
  }

  [[nodiscard]] FitInput input() const {
    return {y.data(),
            x.data(),
            value.data(),
            rms.data(),
            static_cast<int>(y.size()),
            nullptr,
            bounds.data(),
            static_cast<int>(bounds.size()),
            true,
            0,
            {},
            {}};
  }
  [[nodiscard]] int rows() const { return dense::padded(static_cast<int>(y.size())); }
};

/// A table and numbers behind it, which nobody may touch.
struct Guarded {
  static constexpr double kGuard = -77;
  std::vector<double> numbers;
  int rows, columns;
  Guarded(int its_rows, int its_columns)
      : numbers(static_cast<std::size_t>(its_rows * its_columns + 32), kGuard), rows(its_rows), columns(its_columns) {}
  [[nodiscard]] dense::Table<int> table() { return {numbers.data(), rows, columns}; }
};

bool same_bits(const Guarded& one, const Guarded& other) {
  for (std::size_t i = 0; i < one.numbers.size(); ++i)
    if (std::bit_cast<std::uint64_t>(one.numbers[i]) != std::bit_cast<std::uint64_t>(other.numbers[i])) return false;
  return true;
}

/// The chains by one member of a team, without vectors.
struct PlainThread : OneThread {
  void sync() const {}
};

/// Pixels and components. None for a processor that has no such vectors: nothing of them is ever called there, and
/// tests/cli/vectors_test.sh compares what is.
class FitWide : public testing::TestWithParam<std::pair<int, int>> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FitWide);
std::vector<std::pair<int, int>> sizes() {
  if (!wide::usable()) return {};
  return {{3, 2}, {20, 2}, {41, 3}, {96, 4}, {150, 5}, {333, 9}};
}

TEST_P(FitWide, derivatives_are_those_of_one_pixel_at_a_time) {
  const auto [pixels, components] = GetParam();
  const Problem problem(pixels, components, 5);
  Guarded plain(problem.rows(), problem.columns), fast(problem.rows(), problem.columns);
  const FitInput in = problem.input();
  steps::differentiate(PlainThread(), in, problem.shapes.data(), problem.inverse_rms.data(), plain.table());
  wide::differentiate(in, problem.shapes.data(), problem.inverse_rms.data(), fast.table());
  EXPECT_TRUE(same_bits(plain, fast));
}

TEST_P(FitWide, products_are_the_chains_of_one_number_at_a_time) {
  const auto [pixels, components] = GetParam();
  const Problem problem(pixels, components, 6);
  Guarded left(problem.rows(), problem.columns);
  wide::differentiate(problem.input(), problem.shapes.data(), problem.inverse_rms.data(), left.table());
  for (const bool upper : {false, true}) {
    Guarded plain(problem.columns, problem.columns), fast(problem.columns, problem.columns);
    dense::product(PlainThread(), left.table(), left.table(), upper, plain.table());
    wide::product(left.table(), left.table(), upper, fast.table());
    for (int a = 0; a < problem.columns; ++a)  // what is below the diagonal may be left out
      for (int b = 0; b < (upper ? a : 0); ++b) plain.table().row(a)[b] = fast.table().row(a)[b] = 0;
    EXPECT_TRUE(same_bits(plain, fast)) << "upper " << upper;
  }
}

TEST_P(FitWide, solutions_are_those_of_one_column_at_a_time) {
  const auto [pixels, components] = GetParam();
  const Problem problem(pixels, components, 7);
  const int n = problem.rows();
  std::vector<double> triangle(static_cast<std::size_t>(dense::triangle_size(n)));
  const dense::Triangle factor{triangle.data(), n};
  for (int i = 0; i < n; ++i)
    for (int j = i; j < n; ++j) factor.row(i)[j] = std::exp(-0.05 * (j - i) * (j - i)) + (i == j ? 0.2 : 0);
  ASSERT_TRUE(dense::factorise(PlainThread(), factor));
  Guarded plain(n, problem.columns);
  wide::differentiate(problem.input(), problem.shapes.data(), problem.inverse_rms.data(), plain.table());
  Guarded fast = plain;
  dense::solve_transposed(PlainThread(), factor, plain.table());
  for (int k = 0; k < n; k += dense::kPanel) {
    std::vector<double> panel;  // from the first row on
    for (int m = 0; m < k + dense::kPanel; ++m)
      for (int c = k; c < k + dense::kPanel; ++c) panel.push_back(c >= m ? factor.row(m)[c] : 0);
    wide::solve_transposed(panel.data(), 0, k, fast.table());
  }
  EXPECT_TRUE(same_bits(plain, fast));
}

INSTANTIATE_TEST_SUITE_P(sizes, FitWide, testing::ValuesIn(sizes()));

}  // namespace
}  // namespace reber::cpu
