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

/// The noise of the errors between some pixels side by side and all within reach of them. Of pixels in raster order.
class Neighbours {
 public:
  Neighbours(const FitInput& in, FitThread::Room& room)
      : in_(in), runs_(room.runs), near_(room.near), table_(in.errors, room.lined_noise) {
    runs_.clear();
    for (int i = 0; i < in.pixels; i = runs_.back().second) runs_.emplace_back(i, end_of_run(i, in.pixels));
  }

  /// Of pixel i and those that follow it in its row without a gap, four at most.   returns how many; i must not descend
  int find(int i) {
    const int reach = in_.errors.reach, count = end_of_run(i, std::min(i + kFour, in_.pixels)) - i;
    const int left = in_.x[i] - reach, right = in_.x[i] + count + reach;
    while (in_.y[runs_[first_].first] < in_.y[i] - reach) ++first_;
    near_.clear();
    for (std::size_t k = first_; k < runs_.size() && in_.y[runs_[k].first] <= in_.y[i] + reach; ++k) {
      const auto [begin, end] = runs_[k];
      const int x = in_.x[begin];
      const int from = begin + std::max(left - x, 0), to = std::min(end, begin + (right - x));
      if (from < to) near_.emplace_back(from, to);
    }
    return count;
  }

  /// Ranges of pixels side by side, which ascend.
  [[nodiscard]] const std::vector<std::pair<int, int>>& ranges() const { return near_; }

  /// Of pixel `begin` of a range and pixel i. For the pixel after it and for that of the next of the four: `sign`
  /// numbers on, and as many back.
  struct Line {
    const double* factor;
    int sign;
  };
  [[nodiscard]] Line line_at(int i, int begin) const {
    const int dy = in_.y[begin] - in_.y[i], sign = dy < 0 ? -1 : 1;
    return {table_.at(sign * dy, sign * (in_.x[begin] - in_.x[i])), sign};
  }

 private:
  /// Behind the pixels that follow pixel i in its row without a gap.
  [[nodiscard]] int end_of_run(int i, int most) const {
    int end = i + 1;
    while (end < most && in_.y[end] == in_.y[i] && in_.x[end] == in_.x[end - 1] + 1) ++end;
    return end;
  }

  const FitInput& in_;
  std::vector<std::pair<int, int>>& runs_;  ///< all pixels, by runs in rows
  std::vector<std::pair<int, int>>& near_;
  std::size_t first_ = 0;  ///< the first run that may be in reach
  const LinedNoise table_;
};

/// sum += the factors of four pixels times the rows of a range of the table.   sign: from one factor to the next
/// pixel's, and back to the next of the four
template <int W, class Columns>
[[gnu::always_inline]] inline void add_range(const dense::Table<Columns>& table, int c, int begin, int end,
                                             const double* factor, int sign, Tile<W>& sum) {
  const double* row = table.row(begin) + c;
  for (int j = begin; j < end; ++j, row += static_cast<int>(table.columns), factor += sign) {
    Doubles x[W];
    for (int w = 0; w < W; ++w) x[w] = load(row + kFour * w);
    for (int r = 0; r < kPanel; ++r)
      for (int w = 0; w < W; ++w) sum.at[r][w] = fma(all(factor[-sign * r]), x[w], sum.at[r][w]);
  }
}

}  // namespace fit_thread

/// steps::put_under_noise(), up to four rows of the table at a time. What is out of reach of one of them adds zero
/// times a number.
template <class Columns>
void put_under_noise(const FitThread& team, const FitInput& in, const dense::Table<Columns>& table,
                     const dense::Table<Columns>& out) {
  using namespace fit_thread;
  Neighbours near(in, *team.room);
  for (int i = 0, count = 0; i < in.pixels; i += count) {
    count = near.find(i);
    for_columns(table.columns, [&]<int W>(int c) {
      Tile<W> sum{};
      for (const auto& [begin, end] : near.ranges()) {
        const Neighbours::Line line = near.line_at(i, begin);
        line.sign > 0 ? add_range<W>(table, c, begin, end, line.factor, 1, sum)
                      : add_range<W>(table, c, begin, end, line.factor, -1, sum);
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
    const PixelVectors<Doubles> pixels(in, inverse_rms, i);
    Doubles sum{};
    for (int k = 0; k < in.components; ++k) {
      PixelValues<Doubles> one;
      values_at(shapes[k], pixels.x, pixels.y, one);
      sum += one.value;
    }
    const Doubles rest = (pixels.value - sum) * pixels.scale;
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
