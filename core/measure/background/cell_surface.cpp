// SPDX-License-Identifier: BSD-3-Clause
// A small least-squares problem per cell.
#include "core/measure/background/cell_surface.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace reber {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// What a polynomial leaves of each cell.
NearCells<double> left_by(const std::array<double, 6>& factor, std::span<const TrendCell> cells) {
  NearCells<double> left;
  for (const TrendCell& cell : cells) {
    double fitted = 0;
    for (std::size_t k = 0; k < factor.size(); ++k) fitted += factor[k] * cell.terms[k];
    left.add(cell.value - fitted);
  }
  return left;
}

/// Terms and values by the root of the cells' weights.
void put_weights(std::span<TrendCell> cells, double width) {
  if (width == 0) return;
  for (TrendCell& cell : cells) {
    const double weight = std::exp(-(cell.terms[3] + cell.terms[5]) / (4 * width * width));
    for (double& term : cell.terms) term *= weight;
    cell.value *= weight;
  }
}

/// The values change their places.
double middle_in(std::span<double> values) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, at);
  return *at;
}

/// Median of values, which are finite, and of their distances from it.
struct Spread {
  double centre = kNan, scatter = kNan;
};
/// The values change.
Spread spread_in(std::span<double> values) {
  if (values.empty()) return {};
  const double centre = middle_in(values);
  for (double& value : values) value = std::abs(value - centre);
  return {centre, middle_in(values)};
}

}  // namespace

double middle_of(std::vector<double> values) { return middle_in(values); }

double scatter_of(std::vector<double> values) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  return spread_in(values).scatter;
}

EvenCells even_cells(std::size_t cells) {
  constexpr double kMost = 500;
  const auto step =
      std::max<std::int64_t>(static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(cells) / kMost))), 1);
  return {step / 2, step};
}

double enough_cells(std::size_t looked_at) {
  constexpr double kPart = 0.01, kFewest = 3;
  return std::max(kFewest, kPart * static_cast<double>(looked_at));
}

NearCells<TrendCell> CellValues::near(std::int64_t j, std::int64_t i, std::int64_t reach) const {
  NearCells<TrendCell> cells;
  for (std::int64_t v = std::max<std::int64_t>(j - reach, 0); v <= std::min(j + reach, ny - 1); ++v)
    for (std::int64_t u = std::max<std::int64_t>(i - reach, 0); u <= std::min(i + reach, nx - 1); ++u) {
      const double one = at(v, u);
      const auto y = static_cast<double>(v - j), x = static_cast<double>(u - i);
      if (std::isfinite(one)) cells.add({{1, x, y, x * x, x * y, y * y}, one});
    }
  return cells;
}

double CellValues::filtered(std::int64_t j, std::int64_t i, std::int64_t half) const {
  std::vector<double> window;
  return filtered_value(
      ny, nx, [this](std::int64_t v, std::int64_t u) { return at(v, u); }, j, i, half, window);
}

std::optional<std::array<double, 6>> polynomial_at(const CellValues& values, std::int64_t j, std::int64_t i,
                                                   const SurfaceOptions& options) {
  for (std::int64_t reach = kNearCells; reach <= kFarthestCells; ++reach) {
    NearCells<TrendCell> cells = values.near(j, i, reach);
    if (!options.own) cells.leave_out([](const TrendCell& cell) { return cell.terms[1] == 0 && cell.terms[2] == 0; });
    if (cells.count < kFewestCells) continue;
    const auto first = polynomial_of(cells.span());  // one that is far off moves an even fit the least
    if (!first) continue;
    const NearCells<double> left = left_by(*first, cells.span());
    NearCells<double> room = left;
    const Spread spread = spread_in(room.span());
    NearCells<TrendCell> kept;
    for (std::size_t k = 0; k < cells.count; ++k)
      if (std::abs(left.all[k] - spread.centre) <= kFarDeviations * spread.scatter) kept.add(cells.all[k]);
    const bool few = kept.count < kFewestCells;
    if (!few) put_weights(kept.span(), options.width);
    const auto second = few ? first : polynomial_of(kept.span());
    if (second) return second;
  }
  return std::nullopt;
}

}  // namespace reber
