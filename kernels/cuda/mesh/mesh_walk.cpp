// SPDX-License-Identifier: BSD-3-Clause
// Cells that a block holds are sifted, others go through a device-wide sort.
#include "kernels/cuda/mesh/mesh_walk.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <vector>

#include "kernels/cuda/device/sort_scan.hpp"
#include "kernels/cuda/mesh/mesh_sift.hpp"

namespace reber::cuda {
namespace {

std::int64_t largest(const std::vector<PixelSpan>& spans) {
  std::int64_t size = 0;
  for (const PixelSpan& span : spans) size = std::max(size, span.size());
  return size;
}

/// Pixels of the largest cell's rows, in whole groups of four.
std::int64_t largest_room(const MeshGrid& grid) {
  std::int64_t groups = 0;
  for (const PixelSpan& span : grid.cols) groups = std::max(groups, (span.end + 3) / 4 - span.begin / 4);
  return 4 * groups * largest(grid.rows);
}

/// What a group of rows of cells may need.
struct GroupLimits {
  std::int64_t rows;    ///< of pixels
  std::int64_t pixels;  ///< in its cells
  std::int64_t cells;
};

/// Rows of cells [group[k], group[k + 1]) keep to the limits, or are one row of cells.
std::vector<std::int64_t> cell_groups(const MeshGrid& grid, const GroupLimits& limits) {
  std::int64_t width = 0;
  for (const PixelSpan& span : grid.cols) width += span.size();
  std::vector<std::int64_t> groups{0};
  while (groups.back() < grid.ny()) {
    const std::int64_t begin = grid.rows[groups.back()].begin;
    std::int64_t next = groups.back(), held = 0;
    do {
      held += grid.rows[next].size() * width;
      ++next;
    } while (next < grid.ny() && grid.rows[next].end - begin <= limits.rows &&
             held + grid.rows[next].size() * width <= limits.pixels &&
             (next + 1 - groups.back()) * grid.nx() <= limits.cells);
    groups.push_back(next);
  }
  return groups;
}

/// Cells of this launch that no block sorts: sorted on the whole device by cell, then value.
void sort_cells(Context& context, const RowWindow& window, const MeshTask& task, const MeshGrid& grid,
                std::int64_t max_area, const std::vector<std::uint32_t>& cells, cudaStream_t stream) {
  std::vector<std::int64_t> offsets{0};
  for (const std::uint32_t cell : cells)
    offsets.push_back(offsets.back() +
                      grid.rows[task.first_row + cell / task.nx].size() * grid.cols[cell % task.nx].size());
  const std::int64_t pixels = offsets.back(), count = std::ssize(cells);
  const DeviceBuffer<std::int64_t> device_offsets = upload_vector(context, offsets, stream);
  const DeviceBuffer<std::uint32_t> device_cells = upload_vector(context, cells, stream);
  const SortedCells list{device_cells.data(), device_offsets.data(), count};
  DeviceBuffer<std::uint32_t> counts(count, stream);
  check(cudaMemsetAsync(counts.data(), 0, static_cast<std::size_t>(counts.bytes()), stream), "cudaMemsetAsync");
  const DeviceBuffer<std::uint64_t> keys(pixels, stream), other(pixels, stream);
  make_cell_keys(stream, window, task, max_area, list, keys.data(), counts.data());
  const int bits = 32 + std::bit_width(static_cast<std::uint64_t>(count - 1));
  std::uint64_t* sorted = sort_keys(stream, keys.data(), other.data(), pixels, 0, bits);
  std::uint64_t* spare = sorted == keys.data() ? other.data() : keys.data();
  clip_sorted_cells(stream, task, pixels, list, sorted, counts.data(), reinterpret_cast<float*>(spare));
}

/// Cells of this launch that sifting leaves and no block sorts.
void sort_crowded(Context& context, const RowWindow& window, const MeshTask& task, const MeshGrid& grid,
                  const MeshWalk& walk, cudaStream_t stream) {
  std::uint32_t count = 0;
  context.down(&count, task.crowded.count, sizeof(count), stream);
  if (count == 0) return;
  std::vector<std::uint32_t> left(count);
  context.down(left.data(), task.crowded.cells, std::int64_t{4} * count, stream);
  const std::int64_t together = std::max<std::int64_t>(walk.most_sorted / walk.max_area, 1);
  for (std::int64_t begin = 0; begin < count; begin += together) {
    const std::vector<std::uint32_t> cells(left.begin() + begin,
                                           left.begin() + std::min<std::int64_t>(begin + together, count));
    sort_cells(context, window, task, grid, walk.max_area, cells, stream);
  }
}

}  // namespace

bool filters(int side) { return side > 1 && side <= kWidestFilter && side % 2 != 0; }

std::int64_t MeshWalk::list_bytes() const {
  return list > 0 ? static_cast<std::int64_t>(sizeof(CellRecord)) + list * static_cast<std::int64_t>(sizeof(float)) : 0;
}

MeshWalk walk_of(const CudaPlane& plane, const MeshGrid& grid, std::int64_t shared_bytes) {
  constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();
  MeshWalk walk{largest(grid.rows) * largest(grid.cols), largest_room(grid), false, false, 0, 0, {}};
  walk.sifted = walk.room <= kMostRoom && sift_bytes(walk.room) <= shared_bytes;
  walk.block_sorted = walk.max_area <= kBlockCell && crowded_bytes(walk.max_area) <= shared_bytes;
  if (walk.sifted) walk.list = list_floats(walk.room);
  // A sort needs five times its pixels' memory: large cells go by an eighth of the image, for which there is room
  // beside a resident one, or one by one.
  walk.most_sorted = std::clamp<std::int64_t>(plane.shape().count() / 8, std::int64_t{1} << 24, std::int64_t{1} << 28);
  GroupLimits limits{plane.resident() ? plane.shape().ny : plane.tiling().band_rows, kAny, kAny};
  if (!walk.sifted) limits.pixels = walk.most_sorted;
  // Lists take 0.8 bytes per pixel for cells of 64 x 64 pixels, but many times as much where cells overlap.
  if (walk.list > 0)
    limits.cells =
        std::clamp<std::int64_t>(2 * limits.rows * plane.shape().nx, 64 << 20, 512 << 20) / walk.list_bytes();
  walk.groups = cell_groups(grid, limits);
  for (std::size_t g = 0; g + 1 < walk.groups.size(); ++g)
    walk.most_cells = std::max(walk.most_cells, (walk.groups[g + 1] - walk.groups[g]) * grid.nx());
  return walk;
}

MeshTask task_of(const Context& context, const MeshGrid& grid, const MeshWalk& walk, const MeshOptions& options) {
  MeshTask task;
  task.nx = grid.nx();
  task.kappa = options.clip.kappa;
  task.max_rounds = options.clip.max_rounds;
  task.bias = clip_bias(options.clip.kappa);
  task.min_valid = options.min_valid;
  task.centre = options.centre;
  task.few = few_cells(context.device().multiprocessors, walk.max_area);
  return task;
}

void measure_cells(Context& context, const RowWindow& window, const MeshTask& task, const MeshGrid& grid,
                   const MeshWalk& walk, cudaStream_t stream) {
  if (!walk.sifted) {
    std::vector<std::uint32_t> all(static_cast<std::size_t>(task.rows * task.nx));
    std::iota(all.begin(), all.end(), 0u);
    return sort_cells(context, window, task, grid, walk.max_area, all, stream);
  }
  const int multiprocessors = context.device().multiprocessors;
  sift_cells(stream, multiprocessors, window, task, walk.room);
  if (walk.block_sorted)
    measure_crowded(stream, multiprocessors, window, task, walk.max_area);
  else
    sort_crowded(context, window, task, grid, walk, stream);
}

}  // namespace reber::cuda
