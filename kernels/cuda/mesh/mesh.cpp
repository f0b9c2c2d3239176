// SPDX-License-Identifier: BSD-3-Clause
// The cells of one grid, group of rows after group, and who goes along.
#include "kernels/cuda/mesh/mesh.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "core/seam/compute/counted_cells.hpp"
#include "core/seam/compute/statistics.hpp"
#include "kernels/cuda/device/row_roles.hpp"
#include "kernels/cuda/device/sort_scan.hpp"
#include "kernels/cuda/mesh/mesh_counted.hpp"
#include "kernels/cuda/mesh/mesh_walk.hpp"
#include "kernels/shared/foretold_nodes.hpp"

namespace reber::cuda {
namespace {

/// The memory of a mesh on the device.
class MeshMemory {
 public:
  MeshMemory(Context& context, const MeshGrid& grid, const MeshWalk& walk)
      : grid_(grid),
        cells_(grid.ny() * grid.nx()),
        most_cells_(walk.most_cells),
        start_(upload_start(context, walk.groups.size())),
        values_(4 * cells_ + kLists * most_cells_, context.stream()),
        lists_(most_cells_ * walk.list_bytes(), context.stream()) {}

  /// Means, noises, both filtered.
  [[nodiscard]] float* part(int k) const { return values_.data() + k * cells_; }

  /// Points the task to the memory of group g; its lists are empty once.
  void give(std::size_t g, MeshTask& task) const {
    task.row_spans = start_.data();
    task.col_spans = start_.data() + grid_.ny();
    task.mean = part(0);
    task.rms = part(1);
    auto* counts = reinterpret_cast<std::uint32_t*>(start_.data() + grid_.ny() + grid_.nx()) + kLists * g;
    auto* numbers = reinterpret_cast<std::uint32_t*>(part(4));
    task.lengthy = {counts, numbers};
    task.unserved = {counts + 1, numbers + most_cells_};
    task.crowded = {counts + 2, numbers + 2 * most_cells_};
    task.records = reinterpret_cast<CellRecord*>(lists_.data());
    task.lists = reinterpret_cast<float*>(task.records + most_cells_);
  }

 private:
  static constexpr std::int64_t kLists = 3;

  /// Spans of the rows and of the columns, then a 0 for the length of each list of each group: one copy.
  [[nodiscard]] DeviceBuffer<PixelSpan> upload_start(Context& context, std::size_t groups) const {
    static_assert(sizeof(PixelSpan) >= kLists * sizeof(std::uint32_t));
    std::vector<PixelSpan> start = grid_.rows;
    start.insert(start.end(), grid_.cols.begin(), grid_.cols.end());
    start.resize(start.size() + groups);
    return upload_vector(context, start, context.stream());
  }

  const MeshGrid& grid_;
  std::int64_t cells_, most_cells_;
  DeviceBuffer<PixelSpan> start_;
  DeviceBuffer<float> values_;  ///< the cells' values, then the lists' numbers
  DeviceBuffer<std::byte> lists_;
};

/// All that is to be known of the cells, once their kernels are queued.
MeshCells fetch(Context& context, const MeshGrid& grid, const MeshMemory& memory, int filter) {
  const bool filtered = filters(filter);
  const std::int64_t cells = grid.ny() * grid.nx(), bytes = cells * static_cast<std::int64_t>(sizeof(float));
  // The host asks for the result's pages while the card is busy.
  const auto count = static_cast<std::size_t>(cells), more = filtered ? count : 0;
  MeshCells result{std::vector<float>(count), std::vector<float>(count), std::vector<float>(more),
                   std::vector<float>(more)};
  const std::array<void*, 4> parts{result.mean.data(), result.rms.data(), result.filtered_mean.data(),
                                   result.filtered_rms.data()};
  const cudaStream_t stream = context.stream();
  const auto filter_them = [&] {
    filter_cells(stream, memory.part(0), memory.part(1), grid.ny(), grid.nx(), filter, {0, grid.ny()}, memory.part(2),
                 memory.part(3));
  };
  // Many values come down before they are filtered: the host puts them in their place meanwhile.
  constexpr std::int64_t kManyCells = 32768;
  if (filtered && cells >= kManyCells) {
    context.stager().down_parts(stream, memory.part(0), bytes, std::span(parts).first(2));
    filter_them();
    context.stager().down_parts(stream, memory.part(2), bytes, std::span(parts).last(2));
  } else {
    if (filtered) filter_them();
    context.stager().down_parts(stream, memory.part(0), bytes, std::span(parts).first(filtered ? 4 : 2));
  }
  context.stager().drain();
  return result;
}

/// The rows of a group of cells: as they are read, for who follows, and with what is changed in them.
struct GroupRows {
  HeldRows read, changed;

  [[nodiscard]] const RowWindow& window() const {
    return changed.window.pixels != nullptr ? changed.window : read.window;
  }
};

GroupRows hold_group(const CudaPlane& plane, std::int64_t y0, std::int64_t ny, bool followed, cudaStream_t stream) {
  const ChangedRows* const change = followed ? changed_rows_of(plane) : nullptr;
  if (change == nullptr) return {hold_rows(plane, y0, ny, stream), {}};
  GroupRows rows{hold_rows(change->base(), y0, ny, stream), {{}, DeviceBuffer<float>(ny * plane.pitch(), stream)}};
  const auto row_bytes = static_cast<std::size_t>(plane.pitch()) * sizeof(float);
  // Pixels alone: what lies between a row's end and the pitch was never written.
  check(cudaMemcpy2DAsync(rows.changed.memory.data(), row_bytes,
                          rows.read.window.pixels + (y0 - rows.read.window.first) * plane.pitch(), row_bytes,
                          static_cast<std::size_t>(plane.shape().nx) * sizeof(float), static_cast<std::size_t>(ny),
                          cudaMemcpyDeviceToDevice, stream),
        "cudaMemcpy2DAsync");
  rows.changed.window = {rows.changed.memory.data(), plane.pitch(), y0, ny, plane.shape().ny, plane.shape().nx, false};
  change->change(y0, ny, rows.changed.memory.data(), stream);
  return rows;
}

/// Filters the cells that a follower may know now, and hands it the rows of their group.
class Followed {
 public:
  Followed(MeshFollower* follower, const MeshGrid& grid, const MeshMemory& memory, int filter)
      : follower_(follower), grid_(grid), memory_(memory), filter_(filter) {}

  void go_on(HeldRows rows, std::int64_t measured, cudaStream_t stream) {
    if (follower_ == nullptr) return;
    const std::int64_t known = final_rows(grid_.ny(), measured, filter_);
    filter_cells(stream, memory_.part(0), memory_.part(1), grid_.ny(), grid_.nx(), filter_, {filtered_, known},
                 memory_.part(2), memory_.part(3));
    filtered_ = known;
    follower_->follow(std::move(rows), {memory_.part(2), memory_.part(3), known}, stream);
  }

 private:
  MeshFollower* follower_;
  const MeshGrid& grid_;
  const MeshMemory& memory_;
  int filter_;
  std::int64_t filtered_ = 0;
};

}  // namespace

std::int64_t followed_bytes(const CudaPlane& plane, const MeshGrid& grid, const MeshOptions& options) {
  const MeshWalk walk = walk_of(plane, grid, plane.context()->device().shared_bytes);
  if (!plane.maker() || !walk.sifted || !walk.block_sorted || !filters(options.filter) || grid.ny() * grid.nx() < 2)
    return 0;
  const bool changed = changed_rows_of(plane) != nullptr;
  const MeshAxis axis = mesh_axis(grid.rows, grid.image.ny);
  std::vector<PixelSpan> held;
  std::int64_t most = 0;
  for (std::size_t g = 0; g + 1 < walk.groups.size(); ++g) {
    const std::int64_t measured = walk.groups[g + 1];
    const PixelSpan rows{grid.rows[walk.groups[g]].begin, grid.rows[measured - 1].end};
    held.push_back(rows);
    std::int64_t sum = changed ? rows.size() : 0;
    for (const PixelSpan& one : held) sum += one.size();
    most = std::max(most, sum);
    const std::int64_t done = rows_between(axis, final_rows(grid.ny(), measured, options.filter), grid.ny());
    std::erase_if(held, [&](const PixelSpan& one) { return one.end <= done; });
  }
  return most * plane.pitch() * static_cast<std::int64_t>(sizeof(float));
}

MeshCells measure_mesh(const CudaPlane& plane, const MeshGrid& grid, const MeshOptions& options, MeshFollower* follower,
                       const Job& job) {
  Context& context = *plane.context();
  if (grid.ny() * grid.nx() == 0) return {};
  const cudaStream_t stream = context.stream();
  if (has_counted_cells(grid)) return count_cells(plane, grid, options, job);
  const MeshWalk walk = walk_of(plane, grid, context.device().shared_bytes);
  const MeshMemory memory(context, grid, walk);
  MeshTask task = task_of(context, grid, walk, options);
  Followed followed(follower, grid, memory, options.filter);
  std::size_t next = 0;
  for_each_band(context, walk.groups, 1, job, "background", [&](const Band& group) {
    const std::int64_t begin = grid.rows[group.y0].begin, end = grid.rows[group.y0 + group.ny - 1].end;
    GroupRows rows = hold_group(plane, begin, end - begin, follower != nullptr, stream);
    const RowWindow window = rows.window();
    memory.give(next++, task);
    task.first_row = group.y0;
    task.rows = group.ny;
    measure_cells(context, window, task, grid, walk, stream);
    rows.changed = {};
    followed.go_on(std::move(rows.read), group.y0 + group.ny, stream);
  });
  return fetch(context, grid, memory, options.filter);
}

}  // namespace reber::cuda
