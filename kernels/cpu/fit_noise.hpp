// SPDX-License-Identifier: BSD-3-Clause
// Parts of a fit by one thread that a team has no need of: a table under the noise, four pixels at a time in registers;
// chi^2 without its derivatives.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/cpu/fit_thread.hpp"

namespace reber::cpu {

namespace fit_thread {

/// Pixels within reach of one of pixels i .. i + 3, and the noise of the errors between them.
class Neighbours {
 public:
  Neighbours(const FitInput& in, FitThread::Room& room)
      : in_(in), near_(room.near), factor_(room.noise), table_(in.errors, room.lined_noise) {
    std::vector<int>& row = room.row;
    row.clear();
    for (int i = 0; i < in.pixels; ++i)
      if (i == 0 || in.y[i] != in.y[i - 1]) row.push_back(i);
    row.push_back(in.pixels);
    first_ = row.data(), end_ = row.data() + row.size() - 1;
  }

  /// Whether the pixels lie side by side, and so do those near them in each row: factors are then found by line_at(),
  /// else in factors().
  [[nodiscard]] bool find(int i) {
    const int reach = in_.errors.reach, last = std::min(i + kFour, in_.pixels) - 1;
    const auto [left, right] = std::minmax_element(in_.x + i, in_.x + last + 1);
    while (in_.y[*first_] < in_.y[i] - reach) ++first_;
    near_.clear();
    std::size_t count = 0;
    bool lined = last == i + kFour - 1 && in_.y[i] == in_.y[last] && in_.x[last] - in_.x[i] == kFour - 1;
    for (const int* row = first_; row != end_ && in_.y[*row] <= in_.y[last] + reach; ++row) {
      const auto begin = std::lower_bound(in_.x + row[0], in_.x + row[1], *left - reach);
      const auto end = std::upper_bound(begin, in_.x + row[1], *right + reach);
      if (begin == end) continue;
      near_.emplace_back(static_cast<int>(begin - in_.x), static_cast<int>(end - in_.x));
      count += static_cast<std::size_t>(end - begin);
      lined = lined && *(end - 1) - *begin == end - begin - 1;
    }
    if (lined) return true;
    if (factor_.size() < kFour * count) factor_.resize(kFour * count);
    for (int lane = 0; lane < kFour; ++lane) fill(std::min(i + lane, last), factor_.data() + lane);
    return false;
  }

  /// Ranges of pixels, which ascend.
  [[nodiscard]] const std::vector<std::pair<int, int>>& ranges() const { return near_; }
  /// Four numbers for each pixel of the ranges.
  [[nodiscard]] const double* factors() const { return factor_.data(); }

  /// Of pixel `begin` of a range and the first of four pixels side by side. For the pixel after it and for that of the
  /// next lane: `sign` numbers on, and as many back.
  struct Line {
    const double* factor;
    int sign;
  };
  [[nodiscard]] Line line_at(int i, int begin) const {
    const int dy = in_.y[begin] - in_.y[i], sign = dy < 0 ? -1 : 1;
    return {table_.at(sign * dy, sign * (in_.x[begin] - in_.x[i])), sign};
  }

 private:
  /// CorrelationView::at() between one pixel and each of those near, every fourth number.
  void fill(int at, double* to) const {
    const int reach = in_.errors.reach, x = in_.x[at];
    for (const auto& [begin, end] : near_) {
      const int dy = in_.y[begin] - in_.y[at], sign = dy < 0 ? -1 : 1;
      if (sign * dy > reach) {
        for (int j = begin; j < end; ++j, to += kFour) *to = 0;
        continue;
      }
      const double* values = in_.errors.values + sign * dy * (2 * reach + 1);
      for (int j = begin; j < end; ++j, to += kFour) {
        const auto at_j = static_cast<unsigned>(sign * (in_.x[j] - x) + reach);
        *to = at_j <= static_cast<unsigned>(2 * reach) ? values[at_j] : 0.0;
      }
    }
  }

  const FitInput& in_;
  const int *first_ = nullptr, *end_ = nullptr;  ///< the first pixels of rows, from the first that may be in reach
  std::vector<std::pair<int, int>>& near_;
  std::vector<double>& factor_;
  const LinedNoise table_;
};

/// sum += the factors of four pixels times the rows of a range of the table.   next, lane: from one factor to the next
/// pixel's and to the next lane's
template <int W, class Columns>
[[gnu::always_inline]] inline void add_range(const dense::Table<Columns>& table, int c, int begin, int end,
                                             const double* factor, int next, int lane, Tile<W>& sum) {
  const double* row = table.row(begin) + c;
  for (int j = begin; j < end; ++j, row += static_cast<int>(table.columns), factor += next) {
    Doubles x[W];
    for (int w = 0; w < W; ++w) x[w] = load(row + kFour * w);
    for (int r = 0; r < kPanel; ++r)
      for (int w = 0; w < W; ++w) sum.at[r][w] = fma(all(factor[r * lane]), x[w], sum.at[r][w]);
  }
}

}  // namespace fit_thread

/// steps::put_under_noise(), four rows of the table at a time. What is out of reach of one of them adds zero times a
/// number.
template <class Columns>
void put_under_noise(const FitThread& team, const FitInput& in, const dense::Table<Columns>& table,
                     const dense::Table<Columns>& out) {
  using namespace fit_thread;
  Neighbours near(in, *team.room);
  for (int i = 0; i < in.pixels; i += kFour) {
    const int count = std::min(kFour, in.pixels - i);
    const bool lined = near.find(i);
    for_columns(table.columns, [&]<int W>(int c) {
      Tile<W> sum{};
      const double* factors = near.factors();
      for (const auto& [begin, end] : near.ranges()) {
        if (lined) {
          const Neighbours::Line line = near.line_at(i, begin);
          line.sign > 0 ? add_range<W>(table, c, begin, end, line.factor, 1, -1, sum)
                        : add_range<W>(table, c, begin, end, line.factor, -1, 1, sum);
        } else {
          add_range<W>(table, c, begin, end, factors, kFour, 1, sum);
          factors += kFour * (end - begin);
        }
      }
      for (int r = 0; r < count; ++r)
        for (int w = 0; w < W; ++w) store(out.row(i + r) + c + kFour * w, sum.at[r][w]);
    });
  }
  for (int i = in.pixels; i < out.rows; ++i) std::fill_n(out.row(i), static_cast<int>(out.columns), 0.0);
  team.sync();
}

namespace fit_thread {

/// The residual over the rms of each pixel, to the first of four columns; zeros beside it and in rows that pad.
inline void find_residual(const FitInput& in, const model::Shape* shapes, const double* inverse_rms, int rows,
                          double* column) {
  for (int i = 0; i < rows; i += kFour) {
    Doubles px{}, py{}, scale{}, value{}, sum{};
    for (int lane = 0; lane < kFour; ++lane) {
      const int at = std::min(i + lane, in.pixels - 1);
      px[lane] = in.x[at], py[lane] = in.y[at], scale[lane] = inverse_rms[at], value[lane] = in.value[at];
    }
    for (int k = 0; k < in.components; ++k) sum += values_at(shapes[k], px, py).value;
    const Doubles rest = (value - sum) * scale;
    for (int lane = 0; lane < kFour; ++lane)
      store(column + kFour * (i + lane), Doubles{i + lane < in.pixels ? rest[lane] : 0.0, 0, 0, 0});
  }
}

}  // namespace fit_thread

inline double FitThread::chi2_alone(const FitInput& in, const model::Shape* shapes, const double* inverse_rms,
                                    const dense::Triangle& factor, double* column) const {
  using FourColumns = std::integral_constant<int, kFour>;
  const dense::Table<FourColumns> residual{column, factor.n, {}};
  fit_thread::find_residual(in, shapes, inverse_rms, factor.n, column);
  if (in.correlated) solve_transposed(*this, factor, residual);
  double sum[dense::kChains] = {};
  for (int i = 0; i < residual.rows; i += dense::kChains)
    for (int chain = 0; chain < dense::kChains; ++chain) {
      const double left = residual.row(i + chain)[0];
      sum[chain] = __builtin_fma(left, left, sum[chain]);
    }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

}  // namespace reber::cpu
