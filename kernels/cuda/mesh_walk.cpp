// SPDX-License-Identifier: BSD-3-Clause
// The walk over rows of mesh cells, small cells by blocks and large ones through a device-wide sort.
#include <algorithm>
#include <bit>

#include "core/base/error.hpp"
#include "core/compute/statistics.hpp"
#include "kernels/cuda/mesh.hpp"
#include "kernels/cuda/sort_scan.hpp"

namespace reber::cuda {
namespace {

std::int64_t largest_step(const std::vector<std::int64_t>& edges) {
  std::int64_t largest = 0;
  for (std::size_t k = 1; k < edges.size(); ++k) largest = std::max(largest, edges[k] - edges[k - 1]);
  return largest;
}

/// Rows of cells [group[k], group[k + 1]) hold at most `rows` rows of pixels, or are one row of cells.
std::vector<std::int64_t> cell_groups(const std::vector<std::int64_t>& row_edges, std::int64_t rows) {
  std::vector<std::int64_t> groups{0};
  const auto cells = static_cast<std::int64_t>(row_edges.size()) - 1;
  while (groups.back() < cells) {
    std::int64_t next = groups.back() + 1;
    while (next < cells && row_edges[next + 1] - row_edges[groups.back()] <= rows) ++next;
    groups.push_back(next);
  }
  return groups;
}

/// Cells too large for a block's shared memory: sorted on the whole device by cell, then value.
void measure_large_cells(Context& context, const RowWindow& window, const MeshTask& task, const MeshGrid& grid,
                         cudaStream_t stream) {
  std::vector<std::int64_t> offsets{0};
  for (std::int64_t j = task.first_row; j < task.first_row + task.rows; ++j)
    for (std::int64_t i = 0; i < task.nx; ++i)
      offsets.push_back(offsets.back() +
                        (grid.row_edges[j + 1] - grid.row_edges[j]) * (grid.col_edges[i + 1] - grid.col_edges[i]));
  const std::int64_t pixels = offsets.back(), cells = task.rows * task.nx;
  const DeviceBuffer<std::int64_t> device_offsets = upload_vector(context, offsets, stream);
  DeviceBuffer<std::uint32_t> counts(cells, stream);
  check(cudaMemsetAsync(counts.data(), 0, static_cast<std::size_t>(counts.bytes()), stream), "cudaMemsetAsync");
  const DeviceBuffer<std::uint64_t> keys(pixels, stream), other(pixels, stream);
  make_cell_keys(stream, window, task, pixels, device_offsets.data(), keys.data(), counts.data());
  const int bits = 32 + std::bit_width(static_cast<std::uint64_t>(cells - 1));
  std::uint64_t* sorted = sort_keys(stream, keys.data(), other.data(), pixels, 0, bits);
  std::uint64_t* spare = sorted == keys.data() ? other.data() : keys.data();
  clip_sorted_cells(stream, task, pixels, device_offsets.data(), sorted, counts.data(),
                    reinterpret_cast<float*>(spare));
}

}  // namespace

MeshCells measure_mesh(const CudaPlane& plane, const MeshGrid& grid, const MeshOptions& options,
                       const Progress& progress) {
  if (!(grid.image == plane.shape()))
    throw InternalError("cuda backend: the mesh was made for an image of another size");
  Context& context = *plane.context();
  const std::int64_t cells = grid.ny() * grid.nx();
  MeshCells result;
  result.mean.resize(static_cast<std::size_t>(cells));
  result.rms.resize(static_cast<std::size_t>(cells));
  if (cells == 0) return result;
  const cudaStream_t stream = context.stream();
  const DeviceBuffer<std::int64_t> row_edges = upload_vector(context, grid.row_edges, stream);
  const DeviceBuffer<std::int64_t> col_edges = upload_vector(context, grid.col_edges, stream);
  const DeviceBuffer<float> mean(cells, stream), rms(cells, stream);
  MeshTask task;
  task.row_edges = row_edges.data();
  task.col_edges = col_edges.data();
  task.nx = grid.nx();
  task.kappa = options.clip.kappa;
  task.max_rounds = options.clip.max_rounds;
  task.bias = clip_bias(options.clip.kappa);
  task.min_valid = options.min_valid;
  task.mean = mean.data();
  task.rms = rms.data();
  const std::int64_t max_area = largest_step(grid.row_edges) * largest_step(grid.col_edges);
  const bool large = max_area > kBlockCell;
  // A sort needs five times its pixels' memory: large cells go by groups of at most 2^28 pixels, or one row of cells.
  const std::int64_t sort_rows = std::max<std::int64_t>(1, (std::int64_t{1} << 28) / plane.shape().nx);
  std::int64_t rows = plane.resident() ? plane.shape().ny : plane.tiling().band_rows;
  if (large) rows = std::min(rows, sort_rows);
  const std::vector<std::int64_t> groups = cell_groups(grid.row_edges, rows);
  std::vector<std::int64_t> edges;
  for (const std::int64_t group : groups) edges.push_back(grid.row_edges[group]);
  std::size_t next = 0;
  for_each_band(context, edges, 1, progress, "background", [&](const Band& band) {
    const HeldRows held = hold_rows(plane, band.y0, band.ny, stream);
    task.first_row = groups[next];
    task.rows = groups[next + 1] - groups[next];
    ++next;
    if (large) {
      measure_large_cells(context, held.window, task, grid, stream);
    } else {
      measure_cells(stream, held.window, task, max_area);
    }
  });
  context.down(result.mean.data(), mean.data(), mean.bytes(), stream);
  context.down(result.rms.data(), rms.data(), rms.bytes(), stream);
  return result;
}

}  // namespace reber::cuda
