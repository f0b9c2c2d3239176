// SPDX-License-Identifier: BSD-3-Clause
// Values of cells and smooth surfaces through them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "core/measure/background/noise_trend.hpp"

#include "core/base/gaussian.hpp"

namespace reber {

/// Cells that a surface has a value of, to each side in rows and columns, at the most.
inline constexpr std::int64_t kFarthestCells = 4;
/// And where that is enough of them.
inline constexpr std::int64_t kNearCells = 2;
/// Cells that a surface goes through, at the least.
inline constexpr std::size_t kFewestCells = 12;
/// Median deviations beyond which a cell takes no part: 3 standard deviations.
inline constexpr double kFarDeviations = 3 * kSigmaPerDeviation;
/// In rms: cells whose mean is farther off than this are not level.
inline constexpr double kLevelOff = 0.3;
/// Rounds in which a surface or a trend is found from what those before it leave.
inline constexpr int kTrendRounds = 3;

/// Something of each of them, without an allocation: there are many such sets, from all threads.
template <class T>
struct NearCells {
  std::array<T, (2 * kFarthestCells + 1) * (2 * kFarthestCells + 1)> all;
  std::size_t count = 0;

  void add(const T& one) { all[count++] = one; }
  template <class Condition>
  void leave_out(const Condition& condition) {
    const std::span<T> now = span();
    count = static_cast<std::size_t>(std::remove_if(now.begin(), now.end(), condition) - now.begin());
  }
  [[nodiscard]] std::span<T> span() { return std::span(all).first(count); }
};

/// What the median filter of 2 half + 1 cells makes of a cell of ny x nx: its window shrinks evenly at the borders. NaN
/// where no cell of the window is known.   at(j, i): a cell's value;   window: room
template <class At, class T>
double filtered_value(std::int64_t ny, std::int64_t nx, const At& at, std::int64_t j, std::int64_t i, std::int64_t half,
                      std::vector<T>& window) {
  const std::int64_t dy = std::min({half, j, ny - 1 - j}), dx = std::min({half, i, nx - 1 - i});
  window.clear();
  for (std::int64_t v = j - dy; v <= j + dy; ++v)
    for (std::int64_t u = i - dx; u <= i + dx; ++u)
      if (const T one = at(v, u); std::isfinite(one)) window.push_back(one);
  if (window.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = window.begin() + static_cast<std::ptrdiff_t>(window.size() / 2);
  std::ranges::nth_element(window, middle);
  return static_cast<double>(*middle);
}

/// ny x nx values, one per cell; NaN where not known.
struct CellValues {
  std::int64_t ny, nx;
  std::vector<double> value;

  [[nodiscard]] double at(std::int64_t j, std::int64_t i) const { return value[static_cast<std::size_t>(j * nx + i)]; }
  /// Known cells at most `reach` rows and columns from one, their places from it as the terms.
  [[nodiscard]] NearCells<TrendCell> near(std::int64_t j, std::int64_t i, std::int64_t reach) const;
  /// As filtered_value().
  [[nodiscard]] double filtered(std::int64_t j, std::int64_t i, std::int64_t half) const;
};

struct SurfaceOptions {
  double width = 0;  ///< cells r away count by exp(-r^2 / (2 width^2)); 0: all alike
  bool own = true;   ///< whether the cell's own value takes part
};
/// Factors of 1, x, y, x^2, xy, y^2 in cells from the cell (j, i): a polynomial through the known cells of the 5 x 5
/// about it, those far off an even one left out; through more where these are fewer than twelve, nothing where 9 x 9
/// are not.
[[nodiscard]] std::optional<std::array<double, 6>> polynomial_at(const CellValues& cells, std::int64_t j,
                                                                 std::int64_t i, const SurfaceOptions& options = {});

/// The value of rank n / 2 of n values, n > 0.
[[nodiscard]] double middle_of(std::vector<double> values);
/// Median of abs(value - median) of what is finite; NaN where nothing is.
[[nodiscard]] double scatter_of(std::vector<double> values);

/// Every n-th cell of every n-th row so that they are some 500: where the first one is, and n.
struct EvenCells {
  std::int64_t first, step;
};
[[nodiscard]] EvenCells even_cells(std::size_t cells);
/// Of so many, how many cells must be alike before they count: a hundredth, three at least.
[[nodiscard]] double enough_cells(std::size_t looked_at);

}  // namespace reber
