// SPDX-License-Identifier: BSD-3-Clause
// One thread of a processor as a team: the chains of kernels/shared/dense.hpp and fit_steps.hpp, several of them at a
// time in vectors, so that the bits are theirs. Sums are gathered in registers where a team of many updates memory, and
// what the noise's reach makes zero is left out.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "kernels/cpu/fit_wide.hpp"
#include "kernels/cpu/job_threads.hpp"
#include "kernels/cpu/panel_factor.hpp"
#include "kernels/cpu/pixel_values.hpp"
#include "kernels/cpu/simd_double.hpp"
#include "kernels/shared/fit_steps.hpp"

namespace reber::cpu {

/// Asks between the steps of a problem whether to stop: an island of thousands of pixels takes seconds.
struct FitThread : OneThread {
  static constexpr bool kLeavesOut = true;
  /// What a thread keeps between problems.
  struct Room {
    PanelFactor factor;                           ///< of the weights' correlation, which correlate() makes
    std::vector<int> ends, begins;                ///< of correlate()
    std::vector<std::pair<int, int>> runs, near;  ///< of put_under_noise()
    std::vector<double> lined_noise, lined_weights;
  };
  const Job* job;
  ThreadPool* others;  ///< help with a large factor once they have no problem left
  Room* room;

  FitThread(const JobThreads& threads, Room& kept) : job(&threads.job()), others(&threads.pool()), room(&kept) {}
  void sync() const { job->check(); }
  /// chi^2 as ProblemFit finds it, of the residual alone.   column: room for four numbers a pixel
  [[nodiscard]] double chi2_alone(const FitInput& in, const model::Shape* shapes, const double* inverse_rms,
                                  const dense::Triangle& factor, double* column) const;
};

namespace fit_thread {

/// A table of correlations whose rows have zeros on both sides: what four pixels side by side have with another is four
/// numbers side by side.
class LinedNoise {
 public:
  /// lined: room
  LinedNoise(const CorrelationView& noise, std::vector<double>& lined) : reach_(noise.reach), lined_(lined.data()) {
    const int count = 2 * reach_ + 1;
    lined.assign(static_cast<std::size_t>((reach_ + 1) * length()), 0.0);
    lined_ = lined.data();
    for (int dy = 0; dy <= reach_; ++dy)
      std::copy_n(noise.values + dy * count, count, lined.data() + dy * length() + kPad);
  }

  /// At 0 <= dy <= reach and dx within kPad of the reach; dx + 1 is the next number.
  [[nodiscard]] const double* at(int dy, int dx) const { return lined_ + dy * length() + kPad + reach_ + dx; }

 private:
  static constexpr int kPad = 2 * kFour;
  [[nodiscard]] int length() const { return 2 * reach_ + 1 + 2 * kPad; }
  int reach_;
  const double* lined_;
};

/// Sums over the rows of one chain: rows a .. a + 3 of left^T times columns b .. b + 4 W - 1 of right.
template <int W, class Columns>
[[gnu::always_inline]] inline Tile<W> product_chain(const dense::Table<Columns>& left, int a,
                                                    const dense::Table<Columns>& right, int b, int chain) {
  Tile<W> sum{};
  for (int i = chain; i < left.rows; i += dense::kChains) {
    const double *factors = left.row(i) + a, *row = right.row(i) + b;
    Doubles x[W];
    for (int w = 0; w < W; ++w) x[w] = load(row + kFour * w);
    for (int r = 0; r < kPanel; ++r)
      for (int w = 0; w < W; ++w) sum.at[r][w] = fma(all(factors[r]), x[w], sum.at[r][w]);
  }
  return sum;
}

/// First and behind the last of the pixels that are within reach of a row of the image. Pixels in raster order.
struct RowsInReach {
  int first = 0, last = 0;
  void move_to(const FitInput& in, int i, int reach) {
    while (in.y[first] < in.y[i] - reach) ++first;
    while (last < in.pixels && in.y[last] <= in.y[i] + reach) ++last;
  }
};

/// The first row within reach of each panel of columns, a multiple of kPanel: the noise's correlation with rows above
/// is zero. Of pixels in raster order; of others all rows are in reach.   returns whether they are
inline bool find_begins(const FitInput& in, int n, FitThread::Room& room) {
  const auto panels = static_cast<std::size_t>(n / kPanel);
  const bool raster = std::is_sorted(in.y, in.y + in.pixels);
  room.ends.assign(panels, n);
  room.begins.resize(panels);
  RowsInReach reach;
  for (int i = 0; raster && i + kPanel <= in.pixels; i += kPanel) {
    reach.move_to(in, i + kPanel - 1, in.weights.reach);
    room.ends[static_cast<std::size_t>(i / kPanel)] = dense::padded(reach.last);
  }
  std::size_t reaching = 0;
  for (std::size_t p = 0; p < panels; ++p) {
    while (room.ends[reaching] <= static_cast<int>(p) * kPanel) ++reaching;
    room.begins[p] = static_cast<int>(reaching) * kPanel;
  }
  return raster;
}

/// The matrix of correlate(), column by column: each of the sums gets its terms in the order of the rows.
class CorrelatedColumns {
 public:
  CorrelatedColumns(const FitInput& in, const FitThread& team, bool raster, double* sums)
      : in_(in),
        raster_(raster),
        factor_(team.room->factor),
        table_(in.weights, team.room->lined_weights),
        sums_(sums) {}

  void fill() {
    for (int panel = 0; panel < factor_.size(); panel += kPanel) {
      while (panel < in_.pixels && in_.y[row_] < in_.y[panel]) ++row_;
      const bool lined = raster_ && panel + kPanel <= in_.pixels && in_.y[panel] == in_.y[panel + kPanel - 1] &&
                         in_.x[panel + kPanel - 1] - in_.x[panel] == kPanel - 1;
      const int begin = factor_.begin(panel), from = lined ? std::max(row_, begin) : begin;
      const Doubles sum = lined ? fill_rows_above(panel, begin, from) : Doubles{};
      for (int c = 0; c < kPanel; ++c) fill_column(panel + c, from, sum[c]);
    }
  }

 private:
  /// Pixels of other rows of the image, for four columns side by side.   returns the columns' sums
  Doubles fill_rows_above(int panel, int begin, int end) {
    const int reach = in_.weights.reach, x = in_.x[panel], y = in_.y[panel];
    double* to = factor_.at(begin, panel);
    Doubles sum{};
    for (int i = begin; i < end; ++i, to += kPanel) {
      const int dy = y - in_.y[i], dx = x - in_.x[i];
      const bool near = dy <= reach && dx <= reach && dx > -reach - kPanel;
      const Doubles value = near ? load(table_.at(dy, dx)) : Doubles{}, size = value < 0.0 ? -value : value;
      store(to, value);
      sum += size;
      for (int c = 0; c < kPanel; ++c) sums_[i] += size[c];
    }
    return sum;
  }

  /// From a row of the matrix on.   sum: of those above
  void fill_column(int j, int begin, double sum) {
    const int panel = j / kPanel * kPanel, known = j < in_.pixels ? j : begin;
    double* to = factor_.at(begin, panel) + (j - panel);
    for (int i = begin; i < known; ++i, to += kPanel) {
      const int dy = in_.y[j] - in_.y[i], dx = in_.x[j] - in_.x[i];
      *to = in_.weights.at(dy, dx);
      sum += std::fabs(dy > 0 ? *to : in_.weights.at(-dy, -dx));
      sums_[i] += std::fabs(*to);
    }
    for (int i = known; i < panel + kPanel; ++i, to += kPanel) *to = 0;
    if (j >= in_.pixels) return;
    factor_.element(j, j) = in_.weights.at(0, 0);
    sums_[j] = sum + std::fabs(in_.weights.at(0, 0));
  }

  const FitInput& in_;
  const bool raster_;  ///< pixels in raster order
  const PanelFactor& factor_;
  const LinedNoise table_;
  double* sums_;
  int row_ = 0;  ///< the first pixel of the panel's row of the image
};

}  // namespace fit_thread

/// steps::correlate().
inline void correlate(const FitThread& team, const FitInput& in, const dense::Triangle& matrix, double* sums) {
  const bool raster = fit_thread::find_begins(in, matrix.n, *team.room);
  team.room->factor.take_shape(team.room->begins);
  std::fill_n(sums, matrix.n, 0.0);
  fit_thread::CorrelatedColumns(in, team, raster, sums).fill();
  team.sync();
}

/// steps::raise_diagonal() of what correlate() left.
inline void raise_diagonal(const FitThread& team, const FitInput& in, const dense::Triangle& matrix, double by) {
  for (int i = 0; i < matrix.n; ++i) {
    double& element = team.room->factor.element(i, i);
    element = i < in.pixels ? element + by : 1.0;
  }
}

/// dense::factorise() of what raise_diagonal() left.
inline bool factorise(const FitThread& team, const dense::Triangle&) {
  return factorise(team.room->factor, *team.others, [&] { team.sync(); });
}

template <class Columns>
[[nodiscard]] bool has_wide_columns(const dense::Table<Columns>& table) {
  return static_cast<int>(table.columns) >= wide::kFewestColumns && wide::usable();
}

/// dense::solve_transposed() by that factor.
template <class Columns>
void solve_transposed(const FitThread& team, const dense::Triangle&, const dense::Table<Columns>& x) {
  const PanelFactor& u = team.room->factor;
  const bool wide = has_wide_columns(x);
  for (int k = 0; k < u.size(); k += kPanel) {
    if (wide) {
      wide::solve_transposed(u.at(u.begin(k), k), u.begin(k), k, {x.data, x.rows, x.columns});
    } else {
      const dense::Corner corner = u.corner(k);
      for_columns(x.columns, [&]<int W>(int c) { solve_transposed_tile<W>(u, k, c, corner, x); });
    }
    team.sync();
  }
}

/// dense::solve_upper() by that factor.
template <class Columns>
void solve_upper(const FitThread& team, const dense::Triangle&, const dense::Table<Columns>& x) {
  const PanelFactor& u = team.room->factor;
  for (int k = u.size() - kPanel; k >= 0; k -= kPanel) {
    const dense::Corner corner = u.corner(k);
    for_columns(x.columns, [&]<int W>(int c) { solve_upper_tile<W>(u, k, c, corner, x); });
    team.sync();
  }
}

/// dense::product() of tables with a multiple of four columns.
template <class Columns>
void product(const FitThread& team, const dense::Table<Columns>& left, const dense::Table<Columns>& right, bool upper,
             const dense::Table<Columns>& out) {
  using namespace fit_thread;
  const int columns = left.columns;
  if (has_wide_columns(left)) {
    wide::product({left.data, left.rows, columns}, {right.data, right.rows, columns}, upper,
                  {out.data, out.rows, columns});
    return team.sync();
  }
  for (int a = 0; a < columns; a += kPanel)
    for_columns(columns, [&]<int W>(int b) {
      if (upper && b + kFour * W <= a) return;
      Tile<W> sums[dense::kChains];
      for (int chain = 0; chain < dense::kChains; ++chain) sums[chain] = product_chain<W>(left, a, right, b, chain);
      for (int r = 0; r < kPanel; ++r)
        for (int w = 0; w < W; ++w)
          store(out.row(a + r) + b + kFour * w,
                (sums[0].at[r][w] + sums[1].at[r][w]) + (sums[2].at[r][w] + sums[3].at[r][w]));
    });
  team.sync();
}

/// steps::differentiate(), four pixels at a time.
template <class Columns>
void differentiate(const FitThread& team, const FitInput& in, const model::Shape* shapes, const double* inverse_rms,
                   const dense::Table<Columns>& table) {
  using namespace fit_thread;
  const int columns = table.columns;
  if (has_wide_columns(table)) {
    wide::differentiate(in, shapes, inverse_rms, {table.data, table.rows, columns});
    return team.sync();
  }
  for (int i = 0; i < table.rows; i += kFour) {
    const int count = std::clamp(in.pixels - i, 0, kFour);
    const PixelVectors<Doubles> pixels(in, inverse_rms, i);
    Doubles sum{};
    double* rows[kFour];
    for (int lane = 0; lane < kFour; ++lane) rows[lane] = table.row(i + lane);
    int next = 0;
    for (int k = 0; k < in.components; ++k) {
      PixelValues<Doubles> one;
      values_at(shapes[k], pixels.x, pixels.y, one);
      sum += one.value;
      Doubles parts[kMostParts];
      derivatives_of(one, pixels.scale, parts);
      put_parts(parts, in.bounds[k].shape_free, count, rows, next);
      next += model::free_parameters(in.bounds[k]);
    }
    const Doubles rest = (pixels.value - sum) * pixels.scale;
    for (int lane = 0; lane < kFour; ++lane) {
      if (lane < count) rows[lane][next] = rest[lane];
      std::fill(rows[lane] + (lane < count ? next + 1 : 0), rows[lane] + columns, 0.0);
    }
  }
  team.sync();
}

}  // namespace reber::cpu
