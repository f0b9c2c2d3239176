// SPDX-License-Identifier: BSD-3-Clause
// The walk over rows of mesh cells, small cells by blocks and large ones through a device-wide sort.
#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <span>

#include "core/base/error.hpp"
#include "core/compute/statistics.hpp"
#include "kernels/cuda/mesh.hpp"
#include "kernels/cuda/sort_scan.hpp"

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

/// Rows of cells [group[k], group[k + 1]) need at most `rows` rows of pixels and hold at most `pixels` in their cells,
/// or are one row of cells.
std::vector<std::int64_t> cell_groups(const MeshGrid& grid, std::int64_t rows, std::int64_t pixels) {
  std::int64_t width = 0;
  for (const PixelSpan& span : grid.cols) width += span.size();
  std::vector<std::int64_t> groups{0};
  while (groups.back() < grid.ny()) {
    const std::int64_t begin = grid.rows[groups.back()].begin;
    std::int64_t next = groups.back(), held = 0;
    do {
      held += grid.rows[next].size() * width;
      ++next;
    } while (next < grid.ny() && grid.rows[next].end - begin <= rows &&
             held + grid.rows[next].size() * width <= pixels);
    groups.push_back(next);
  }
  return groups;
}

/// Cells too large for a block's shared memory: sorted on the whole device by cell, then value.
void measure_large_cells(Context& context, const RowWindow& window, const MeshTask& task, const MeshGrid& grid,
                         std::int64_t max_area, cudaStream_t stream) {
  std::vector<std::int64_t> offsets{0};
  for (std::int64_t j = task.first_row; j < task.first_row + task.rows; ++j)
    for (const PixelSpan& cols : grid.cols) offsets.push_back(offsets.back() + grid.rows[j].size() * cols.size());
  const std::int64_t pixels = offsets.back(), cells = task.rows * task.nx;
  const DeviceBuffer<std::int64_t> device_offsets = upload_vector(context, offsets, stream);
  DeviceBuffer<std::uint32_t> counts(cells, stream);
  check(cudaMemsetAsync(counts.data(), 0, static_cast<std::size_t>(counts.bytes()), stream), "cudaMemsetAsync");
  const DeviceBuffer<std::uint64_t> keys(pixels, stream), other(pixels, stream);
  make_cell_keys(stream, window, task, max_area, device_offsets.data(), keys.data(), counts.data());
  const int bits = 32 + std::bit_width(static_cast<std::uint64_t>(cells - 1));
  std::uint64_t* sorted = sort_keys(stream, keys.data(), other.data(), pixels, 0, bits);
  std::uint64_t* spare = sorted == keys.data() ? other.data() : keys.data();
  clip_sorted_cells(stream, task, pixels, device_offsets.data(), sorted, counts.data(),
                    reinterpret_cast<float*>(spare));
}

/// Values of all cells on the device: means, noises, and both filtered.
class CellValues {
 public:
  CellValues(const MeshGrid& grid, cudaStream_t stream)
      : grid_(grid), cells_(grid.ny() * grid.nx()), values_(4 * cells_, stream) {}

  [[nodiscard]] float* part(int k) const { return values_.data() + k * cells_; }

  /// All that is to be known of the cells, in one copy.
  [[nodiscard]] MeshCells fetch(Context& context, int filter) const {
    const bool filtered = filter > 1 && filter <= kWidestFilter && filter % 2 != 0;
    if (filtered) filter_cells(context.stream(), part(0), part(1), grid_.ny(), grid_.nx(), filter, part(2), part(3));
    // The host asks for the result's pages while the card is busy.
    const auto count = static_cast<std::size_t>(cells_), more = filtered ? count : 0;
    MeshCells cells{std::vector<float>(count), std::vector<float>(count), std::vector<float>(more),
                    std::vector<float>(more)};
    const std::array<void*, 4> parts{cells.mean.data(), cells.rms.data(), cells.filtered_mean.data(),
                                     cells.filtered_rms.data()};
    context.stager().down_parts(context.stream(), values_.data(), cells_ * static_cast<std::int64_t>(sizeof(float)),
                                std::span(parts).first(filtered ? 4 : 2));
    context.stager().drain();
    return cells;
  }

 private:
  const MeshGrid& grid_;
  std::int64_t cells_;
  DeviceBuffer<float> values_;
};

/// Spans of the rows, then of the columns.
DeviceBuffer<PixelSpan> upload_spans(Context& context, const MeshGrid& grid, cudaStream_t stream) {
  std::vector<PixelSpan> spans = grid.rows;
  spans.insert(spans.end(), grid.cols.begin(), grid.cols.end());
  return upload_vector(context, spans, stream);
}

}  // namespace

MeshCells measure_mesh(const CudaPlane& plane, const MeshGrid& grid, const MeshOptions& options,
                       const Progress& progress) {
  if (!(grid.image == plane.shape()))
    throw InternalError("cuda backend: the mesh was made for an image of another size");
  Context& context = *plane.context();
  const std::int64_t cells = grid.ny() * grid.nx();
  if (cells == 0) return {};
  const cudaStream_t stream = context.stream();
  const DeviceBuffer<PixelSpan> spans = upload_spans(context, grid, stream);
  const CellValues values(grid, stream);
  const DeviceBuffer<std::uint32_t> listed(2 * (cells + 1), stream);
  MeshTask task;
  task.row_spans = spans.data();
  task.col_spans = spans.data() + grid.ny();
  task.nx = grid.nx();
  task.kappa = options.clip.kappa;
  task.max_rounds = options.clip.max_rounds;
  task.bias = clip_bias(options.clip.kappa);
  task.min_valid = options.min_valid;
  task.centre = options.centre;
  task.mean = values.part(0);
  task.rms = values.part(1);
  task.unserved = listed.data();
  task.crowded = listed.data() + cells + 1;
  const std::int64_t max_area = largest(grid.rows) * largest(grid.cols);
  const std::int64_t room = largest_room(grid);
  const bool large = max_area > kBlockCell || room > kMostRoom;
  // A sort needs five times its pixels' memory: large cells go by groups of at most 2^28 pixels, or one row of cells.
  constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();
  const std::vector<std::int64_t> groups = cell_groups(
      grid, plane.resident() ? plane.shape().ny : plane.tiling().band_rows, large ? std::int64_t{1} << 28 : kAny);
  for_each_band(context, groups, 1, progress, "background", [&](const Band& group) {
    const std::int64_t begin = grid.rows[group.y0].begin, end = grid.rows[group.y0 + group.ny - 1].end;
    const HeldRows held = hold_rows(plane, begin, end - begin, stream);
    task.first_row = group.y0;
    task.rows = group.ny;
    if (large) {
      measure_large_cells(context, held.window, task, grid, max_area, stream);
    } else {
      const auto list_bytes = static_cast<std::size_t>(cells + 1) * sizeof(std::uint32_t);
      check(cudaMemset2DAsync(listed.data(), list_bytes, 0, sizeof(std::uint32_t), 2, stream), "cudaMemset2DAsync");
      sift_cells(stream, context.device().multiprocessors, held.window, task, room);
      measure_crowded(stream, context.device().multiprocessors, held.window, task, max_area);
    }
  });
  return values.fetch(context, options.filter);
}

}  // namespace reber::cuda
