// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic of rows and of cells.
#include "kernels/banded/rows.hpp"

#include <numeric>

namespace reber::banded {
namespace {

constexpr std::int64_t kLeastBand = 8;
constexpr std::int64_t kPictureSide = 1400;  // core/show/picture/picture.hpp

/// Twice the place of a cell's node, which may lie between two rows.
std::int64_t twice_centre(const PixelSpan& span) { return span.begin + span.end - 1; }

}  // namespace

Rows inside(Rows rows, std::int64_t margin, std::int64_t ny) {
  return {rows.begin > 0 ? rows.begin + margin : 0, rows.end < ny ? rows.end - margin : ny};
}

Rows about(Rows rows, std::int64_t margin, std::int64_t ny) {
  return {std::max<std::int64_t>(rows.begin - margin, 0), std::min(rows.end + margin, ny)};
}

std::vector<Rows> bands_of(Shape image, const std::vector<double>& weights) {
  const std::int64_t ny = image.ny, block = (std::max(ny, image.nx) + kPictureSide - 1) / kPictureSide;
  const std::int64_t blocks = ny / block, least = (kLeastBand + block - 1) / block;
  const std::size_t count =
      std::min(weights.size(), static_cast<std::size_t>(std::max<std::int64_t>(blocks / least, 1)));
  const double all = std::accumulate(weights.begin(), weights.begin() + static_cast<std::ptrdiff_t>(count), 0.0);
  std::vector<Rows> bands;
  double before = 0;
  for (std::size_t k = 0; k < count; ++k) {
    before += weights[k];
    const std::int64_t begin = k == 0 ? 0 : bands.back().end, left = static_cast<std::int64_t>(count - 1 - k);
    const auto wanted = static_cast<std::int64_t>(static_cast<double>(blocks) * before / all);
    const std::int64_t end = std::min(std::max(wanted, begin / block + least), blocks - least * left) * block;
    bands.push_back({begin, k + 1 == count ? ny : end});
  }
  return bands;
}

std::vector<Rows> gaps_between(const std::vector<Rows>& parts, std::int64_t ny) {
  std::vector<Rows> gaps;
  std::int64_t done = 0;
  for (const Rows& part : parts) {
    if (part.size() == 0) continue;
    if (part.begin > done) gaps.push_back({done, part.begin});
    done = part.end;
  }
  if (done < ny) gaps.push_back({done, ny});
  return gaps;
}

Rows cells_of_band(const MeshGrid& grid, Rows band, std::int64_t margin) {
  constexpr std::int64_t kLittle = 16;
  return cells_within(grid, inside(band, std::max(margin, kLittle), grid.image.ny));
}

Rows covering(const MeshGrid& grid, Rows cells, Rows rows) {
  if (cells.size() == 0) return cells;
  while (cells.begin > 0 && grid.rows[static_cast<std::size_t>(cells.begin)].begin > rows.begin) --cells.begin;
  while (cells.end < grid.ny() && grid.rows[static_cast<std::size_t>(cells.end - 1)].end < rows.end) ++cells.end;
  return cells;
}

MeshGrid clamped(MeshGrid grid, Rows own) {
  for (std::int64_t j = 0; j < grid.ny(); ++j) {
    if (own.begin <= j && j < own.end) continue;
    PixelSpan& span = grid.rows[static_cast<std::size_t>(j)];
    span.begin = std::max<std::int64_t>(span.begin, 0);
    span.end = std::min(span.end, grid.image.ny);
  }
  return grid;
}

Rows cells_within(const MeshGrid& grid, Rows rows) {
  Rows found{grid.ny(), grid.ny()};
  for (std::int64_t j = 0; j < grid.ny(); ++j) {
    const PixelSpan& span = grid.rows[static_cast<std::size_t>(j)];
    if (span.begin < rows.begin || span.end > rows.end) continue;
    found.begin = std::min(found.begin, j);
    found.end = j + 1;
  }
  if (found.begin == grid.ny()) return {0, 0};
  return found;
}

Rows cells_about(const MeshGrid& grid, Rows rows) {
  std::int64_t first = 0, last = grid.ny() - 1;
  while (first + 1 < grid.ny() && twice_centre(grid.rows[static_cast<std::size_t>(first + 1)]) <= 2 * rows.begin)
    ++first;
  while (last > first && twice_centre(grid.rows[static_cast<std::size_t>(last - 1)]) >= 2 * (rows.end - 1)) --last;
  return {first, last + 1};
}

Rows rows_of_nodes(const MeshGrid& grid, Rows cells) {
  const std::int64_t first = twice_centre(grid.rows[static_cast<std::size_t>(cells.begin)]);
  const std::int64_t last = twice_centre(grid.rows[static_cast<std::size_t>(cells.end - 1)]);
  return {cells.begin == 0 ? 0 : (first + 1) / 2, cells.end == grid.ny() ? grid.image.ny : last / 2 + 1};
}

MeshGrid cut(const MeshGrid& grid, Rows cells, Rows rows) {
  MeshGrid part{{rows.size(), grid.image.nx}, {}, grid.cols};
  for (std::int64_t j = cells.begin; j < cells.end; ++j) {
    const PixelSpan& span = grid.rows[static_cast<std::size_t>(j)];
    part.rows.push_back({span.begin - rows.begin, span.end - rows.begin});
  }
  return part;
}

BackgroundModel cut(const BackgroundModel& model, Rows cells, Rows rows) {
  BackgroundModel part;
  part.grid = cut(model.grid, cells, rows);
  const std::int64_t nx = model.grid.nx();
  const auto of = [&](const std::vector<float>& values) {
    return std::vector<float>(values.begin() + cells.begin * nx, values.begin() + cells.end * nx);
  };
  part.mean = of(model.mean);
  part.rms = of(model.rms);
  return part;
}

}  // namespace reber::banded
