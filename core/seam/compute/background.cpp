// SPDX-License-Identifier: BSD-3-Clause
// Host-side part of the background: cutting the image into cells, mending and filtering the cells' values.
#include "core/seam/compute/background.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/base/error.hpp"
#include "core/base/thread_pool.hpp"
#include "core/seam/compute/mesh_filter.hpp"

namespace reber {
namespace {

/// Of `size` pixels from `begin` on, mirrored about their middle.
std::vector<PixelSpan> equal_spans(std::int64_t begin, std::int64_t size, std::int64_t box) {
  std::int64_t cells = std::max<std::int64_t>((size + box - 1) / box, 1);
  if (cells % 2 == 0 && size % 2 != 0) ++cells;
  const auto bound = [&](std::int64_t k) {
    const auto rounded = [&](std::int64_t n) { return (2 * n * size + cells) / (2 * cells); };
    return begin + (2 * k <= cells ? rounded(k) : size - rounded(cells - k));
  };
  std::vector<PixelSpan> spans(static_cast<std::size_t>(cells));
  for (std::int64_t k = 0; k < cells; ++k) spans[static_cast<std::size_t>(k)] = {bound(k), bound(k + 1)};
  return spans;
}

/// Spans of `box` pixels about the centres of the given ones, cut at their ends. Two that are cut to the same pixels
/// become one.
std::vector<PixelSpan> widened(const std::vector<PixelSpan>& steps, std::int64_t box) {
  const std::int64_t first = steps.front().begin, last = steps.back().end;
  std::vector<PixelSpan> spans;
  for (const PixelSpan& step : steps) {
    const std::int64_t begin = (step.begin + step.end - box) >> 1;  // rounded down, below 0 as well
    const PixelSpan span{std::max(begin, first), std::min(begin + box, last)};
    if (spans.empty() || spans.back() != span) spans.push_back(span);
  }
  return spans;
}

/// Nearest good cell to the left and to the right of each cell in its row (itself included), -1 for none.
struct RowNeighbours {
  std::vector<std::int64_t> left, right;
};

RowNeighbours row_neighbours(const std::vector<bool>& good, std::int64_t ny, std::int64_t nx) {
  RowNeighbours found;
  found.left.assign(good.size(), -1);
  found.right.assign(good.size(), -1);
  for (std::int64_t j = 0; j < ny; ++j) {
    std::int64_t last = -1;
    for (std::int64_t i = 0; i < nx; ++i) {
      if (good[j * nx + i]) last = i;
      found.left[j * nx + i] = last;
    }
    last = -1;
    for (std::int64_t i = nx - 1; i >= 0; --i) {
      if (good[j * nx + i]) last = i;
      found.right[j * nx + i] = last;
    }
  }
  return found;
}

/// Cells at the smallest Euclidean distance (in cells) from (j, i), in raster order.
std::vector<std::int64_t> nearest_good(const RowNeighbours& rows, std::int64_t ny, std::int64_t nx, std::int64_t j,
                                       std::int64_t i) {
  std::vector<std::int64_t> nearest;
  std::int64_t best = ny * ny + nx * nx;
  const auto look = [&](std::int64_t row, std::int64_t column) {
    if (column < 0) return;
    const std::int64_t distance = (row - j) * (row - j) + (column - i) * (column - i);
    if (distance > best) return;
    if (distance < best) nearest.clear();
    best = distance;
    nearest.push_back(row * nx + column);
  };
  const auto look_in_row = [&](std::int64_t row) {
    if (row < 0 || row >= ny) return;
    const std::int64_t left = rows.left[row * nx + i], right = rows.right[row * nx + i];
    look(row, left);
    if (right != left) look(row, right);
  };
  look_in_row(j);
  for (std::int64_t dy = 1; dy <= ny && dy * dy <= best; ++dy) {
    look_in_row(j - dy);
    look_in_row(j + dy);
  }
  std::ranges::sort(nearest);
  return nearest;
}

float average(const std::vector<float>& values, const std::vector<std::int64_t>& cells) {
  double sum = 0;
  for (const std::int64_t cell : cells) sum += values[cell];
  return static_cast<float>(sum / static_cast<double>(cells.size()));
}

/// Rows of windows within which a cell lies, or columns.
struct Reach {
  std::int64_t begin, end;
};
Reach windows_of(std::int64_t k, std::int64_t most, std::int64_t count) {
  return {std::max<std::int64_t>(k - most, 0), std::min(k + most + 1, count)};
}

/// Cells whose window may hold one that is not good.
std::vector<bool> near_bad(const std::vector<bool>& good, std::int64_t ny, std::int64_t nx, int side) {
  std::vector<bool> near(good.size(), false);
  for (std::int64_t j = 0; j < ny; ++j)
    for (std::int64_t i = 0; i < nx; ++i) {
      if (good[j * nx + i]) continue;
      const Reach rows = windows_of(j, side / 2, ny), cols = windows_of(i, side / 2, nx);
      for (std::int64_t y = rows.begin; y < rows.end; ++y)
        for (std::int64_t x = cols.begin; x < cols.end; ++x) near[y * nx + x] = true;
    }
  return near;
}

/// Values about cell (j, i). The window shrinks evenly on both sides at the borders: cut on one side, it would move
/// inward and take the slope of the noise with it (3 % at the edge of a primary beam).
void fill_window(const std::vector<float>& values, std::int64_t ny, std::int64_t nx, int side, std::int64_t j,
                 std::int64_t i, std::vector<float>& window) {
  const std::int64_t most = side / 2;
  window.clear();
  const std::int64_t reach_y = std::min({most, j, ny - 1 - j}), reach_x = std::min({most, i, nx - 1 - i});
  for (std::int64_t y = j - reach_y; y <= j + reach_y; ++y)
    for (std::int64_t x = i - reach_x; x <= i + reach_x; ++x) window.push_back(values[y * nx + x]);
}

/// Reaches are even on both sides: the number of cells is odd.
float middle_of(std::vector<float>& window) {
  const auto middle = window.begin() + static_cast<std::ptrdiff_t>(window.size() / 2);
  std::ranges::nth_element(window, middle);
  return *middle;
}

/// `wanted` cells alone are filtered, the others stay as they are in `filtered`.
void median_filter(const std::vector<float>& values, std::int64_t ny, std::int64_t nx, int side,
                   const std::vector<bool>& wanted, int threads, std::vector<float>& filtered) {
  constexpr std::int64_t kFewCells = 4096;
  ThreadPool pool(std::ranges::count(wanted, true) > kFewCells ? threads : 1);
  pool.for_each(ny, [&](std::int64_t j) {
    std::vector<float> window;
    for (std::int64_t i = 0; i < nx; ++i) {
      if (!wanted[j * nx + i]) continue;
      fill_window(values, ny, nx, side, j, i, window);
      filtered[j * nx + i] = middle_of(window);
    }
  });
}

/// The maps of a model filtered: what the backend filtered stands where no window holds a mended cell.
void filter_model(const MeshCells& cells, const std::vector<bool>& good, int side, int threads,
                  BackgroundModel& model) {
  const std::int64_t ny = model.grid.ny(), nx = model.grid.nx();
  const bool begun = cells.filtered_mean.size() == good.size() && cells.filtered_rms.size() == good.size();
  const std::vector<bool> wanted = begun ? near_bad(good, ny, nx, side) : std::vector<bool>(good.size(), true);
  const auto filter = [&](std::vector<float>& values, const std::vector<float>& from_backend) {
    std::vector<float> filtered = begun ? from_backend : std::vector<float>(values.size());
    median_filter(values, ny, nx, side, wanted, threads, filtered);
    values = std::move(filtered);
  };
  filter(model.mean, cells.filtered_mean);
  filter(model.rms, cells.filtered_rms);
}

}  // namespace

void filter_cell_rows(const std::vector<float>& values, std::int64_t ny, std::int64_t nx, int side, std::int64_t first,
                      std::int64_t end, std::vector<float>& filtered) {
  std::vector<float> window;
  for (std::int64_t j = first; j < end; ++j)
    for (std::int64_t i = 0; i < nx; ++i) {
      fill_window(values, ny, nx, side, j, i, window);
      const bool known = std::ranges::none_of(window, [](float value) { return std::isnan(value); });
      filtered[j * nx + i] = known ? middle_of(window) : std::numeric_limits<float>::quiet_NaN();
    }
}

MeshGrid MeshGrid::make(Shape image, std::int64_t box) { return within(image, {0, 0, image.ny, image.nx}, box); }

MeshGrid MeshGrid::within(Shape image, const Rect& part, std::int64_t box) {
  if (box < 1) throw InputError(fmt::format("a background mesh needs cells of at least 1 pixel, not {}", box));
  if (part.ny < 1 || part.nx < 1)
    throw InputError(fmt::format("an image of {} x {} pixels has no background mesh", part.nx, part.ny));
  return {image, equal_spans(part.y0, part.ny, box), equal_spans(part.x0, part.nx, box)};
}

MeshGrid MeshGrid::sliding(Shape image, std::int64_t box, std::int64_t step) {
  return sliding(image, {0, 0, image.ny, image.nx}, box, step);
}

MeshGrid MeshGrid::sliding(Shape image, const Rect& part, std::int64_t box, std::int64_t step) {
  MeshGrid grid = within(image, part, step);
  if (box < 1) throw InputError(fmt::format("a sliding box needs at least 1 pixel, not {}", box));
  if (box <= step) return grid;
  grid.rows = widened(grid.rows, box);
  grid.cols = widened(grid.cols, box);
  return grid;
}

double LocalLevel::part(double distance) const {
  const double fades = std::clamp(3 * (1 - distance / reach_px), 0.0, 1.0), widths = distance / fwhm_px;
  return fades * std::exp(-4 * std::numbers::ln2 * widths * widths);
}

BackgroundModel BackgroundModel::constant(Shape image, float mean, float rms) {
  return {{image, {{0, image.ny}}, {{0, image.nx}}}, {mean}, {rms}, nullptr, nullptr};
}

void MeshCells::append(const MeshCells& other) {
  const auto join = [](std::vector<float>& values, const std::vector<float>& more) {
    values.insert(values.end(), more.begin(), more.end());
  };
  join(mean, other.mean);
  join(rms, other.rms);
  join(filtered_mean, other.filtered_mean);
  join(filtered_rms, other.filtered_rms);
}

MeshCells MeshCells::part(std::size_t begin, std::size_t count) const {
  const auto cut = [&](const std::vector<float>& values) {
    if (values.size() != mean.size()) return std::vector<float>();
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(begin);
    return std::vector<float>(first, first + static_cast<std::ptrdiff_t>(count));
  };
  return {cut(mean), cut(rms), cut(filtered_mean), cut(filtered_rms)};
}

BackgroundModel finish_mesh(const MeshGrid& grid, const MeshCells& cells, const MeshOptions& options, int threads) {
  const std::int64_t ny = grid.ny(), nx = grid.nx();
  const auto count = static_cast<std::size_t>(ny * nx);
  if (cells.mean.size() != count || cells.rms.size() != count)
    throw InternalError(fmt::format("mesh of {} x {} cells came with {} means and {} noises", ny, nx, cells.mean.size(),
                                    cells.rms.size()));
  if (options.filter < 1 || options.filter % 2 == 0)
    throw InputError(fmt::format("the mesh filter must be an odd number of cells, not {}", options.filter));
  std::vector<bool> good(count);
  for (std::size_t k = 0; k < count; ++k) good[k] = std::isfinite(cells.mean[k]) && std::isfinite(cells.rms[k]);
  if (std::ranges::none_of(good, [](bool is_good) { return is_good; }))
    throw DataError(
        "no cell of the background mesh holds enough finite pixels; use larger cells or a constant background");

  const bool all_good = std::ranges::all_of(good, [](bool is_good) { return is_good; });
  if (all_good && cells.filtered_mean.size() == count && cells.filtered_rms.size() == count)
    return {grid, cells.filtered_mean, cells.filtered_rms, nullptr, nullptr};
  BackgroundModel model{grid, cells.mean, cells.rms, nullptr, nullptr};
  const RowNeighbours rows = row_neighbours(good, ny, nx);
  for (std::int64_t j = 0; j < ny; ++j) {
    for (std::int64_t i = 0; i < nx; ++i) {
      if (good[j * nx + i]) continue;
      const auto nearest = nearest_good(rows, ny, nx, j, i);
      model.mean[j * nx + i] = average(cells.mean, nearest);
      model.rms[j * nx + i] = average(cells.rms, nearest);
    }
  }
  if (options.filter > 1) filter_model(cells, good, options.filter, threads, model);
  return model;
}

MeshAxis mesh_axis(const std::vector<PixelSpan>& spans, std::int64_t size) {
  const auto cells = static_cast<std::int64_t>(spans.size());
  const auto centre = [&](std::int64_t k) { return 0.5 * static_cast<double>(spans[k].begin + spans[k].end - 1); };
  MeshAxis axis;
  axis.node.resize(static_cast<std::size_t>(size));
  axis.weight.resize(axis.node.size());
  std::int64_t k = 0;
  for (std::int64_t p = 0; p < size; ++p) {
    const auto position = static_cast<double>(p);
    while (k + 1 < cells && position >= centre(k + 1)) ++k;
    const bool between = k + 1 < cells && position > centre(k);
    axis.node[p] = static_cast<std::int32_t>(k);
    axis.weight[p] = between ? static_cast<float>((position - centre(k)) / (centre(k + 1) - centre(k))) : 0.0f;
  }
  return axis;
}

}  // namespace reber
