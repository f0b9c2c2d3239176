// SPDX-License-Identifier: BSD-3-Clause
// Cells of many grids of a resident plane, queued one grid behind the other and brought to the host together.
#include "kernels/cuda/mesh/mesh_each.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "kernels/cuda/device/context.hpp"
#include "kernels/cuda/mesh/mesh.hpp"
#include "kernels/cuda/mesh/mesh_walk.hpp"

namespace reber::cuda {
namespace {

constexpr std::int64_t kLists = 3;

/// Where a grid has its spans and its cells among those of all.
struct GridPlace {
  std::int64_t spans = 0, cells = 0;
};

/// The memory of all grids on the device. Lists are used by one after the other, in the order of the stream.
class GridsMemory {
 public:
  GridsMemory(Context& context, std::span<const MeshGrid> grids, std::span<const MeshWalk> walks)
      : start_(upload_start(context, grids)),
        values_(4 * cells_ + kLists * most_cells(walks), context.stream()),
        lists_(list_bytes(walks), context.stream()),
        most_cells_(most_cells(walks)) {}

  [[nodiscard]] std::int64_t cells() const { return cells_; }
  /// Means, noises, both filtered: of all grids, or from those of grid k on.
  [[nodiscard]] float* part(int map) const { return values_.data() + map * cells_; }
  [[nodiscard]] float* part(int map, std::size_t k) const { return part(map) + places_[k].cells; }

  void give(std::size_t k, const MeshGrid& grid, MeshTask& task) const {
    const PixelSpan* const spans = start_.data() + places_[k].spans;
    task.rows = grid.ny();
    task.row_spans = spans;
    task.col_spans = spans + grid.ny();
    task.mean = part(0, k);
    task.rms = part(1, k);
    auto* const counts = reinterpret_cast<std::uint32_t*>(start_.data() + places_[k].spans + grid.ny() + grid.nx());
    auto* const numbers = reinterpret_cast<std::uint32_t*>(part(4));
    task.lengthy = {counts, numbers};
    task.unserved = {counts + 1, numbers + most_cells_};
    task.crowded = {counts + 2, numbers + 2 * most_cells_};
    task.records = reinterpret_cast<CellRecord*>(lists_.data());
    task.lists = reinterpret_cast<float*>(task.records + most_cells_);
  }

 private:
  static std::int64_t most_cells(std::span<const MeshWalk> walks) {
    std::int64_t most = 0;
    for (const MeshWalk& walk : walks) most = std::max(most, walk.most_cells);
    return most;
  }
  static std::int64_t list_bytes(std::span<const MeshWalk> walks) {
    std::int64_t bytes = 0;
    for (const MeshWalk& walk : walks) bytes = std::max(bytes, walk.list_bytes());
    return bytes * most_cells(walks);
  }

  /// Of each grid the spans of its rows and of its columns, then a 0 for the length of each list: one copy.
  [[nodiscard]] DeviceBuffer<PixelSpan> upload_start(Context& context, std::span<const MeshGrid> grids) {
    static_assert(sizeof(PixelSpan) >= kLists * sizeof(std::uint32_t));
    std::vector<PixelSpan> start;
    for (const MeshGrid& grid : grids) {
      places_.push_back({std::ssize(start), cells_});
      start.insert(start.end(), grid.rows.begin(), grid.rows.end());
      start.insert(start.end(), grid.cols.begin(), grid.cols.end());
      start.push_back({0, 0});
      cells_ += grid.ny() * grid.nx();
    }
    return upload_vector(context, start, context.stream());
  }

  std::vector<GridPlace> places_;
  std::int64_t cells_ = 0;
  DeviceBuffer<PixelSpan> start_;
  DeviceBuffer<float> values_;  ///< the cells' values, then the lists' numbers
  DeviceBuffer<std::byte> lists_;
  std::int64_t most_cells_;
};

/// Whether nothing on the way waits for the host.
bool queued_whole(const MeshWalk& walk) { return walk.sifted && walk.block_sorted && walk.groups.size() == 2; }

}  // namespace

std::optional<MeshCells> measure_meshes(const CudaPlane& plane, std::span<const MeshGrid> grids,
                                        const MeshOptions& options, const Job& job) {
  if (!plane.resident() || grids.empty()) return std::nullopt;
  Context& context = *plane.context();
  const cudaStream_t stream = context.stream();
  std::vector<MeshWalk> walks;
  for (const MeshGrid& grid : grids) {
    walks.push_back(walk_of(plane, grid, context.device().shared_bytes));
    if (!queued_whole(walks.back())) return std::nullopt;
  }
  const GridsMemory memory(context, grids, walks);
  const HeldRows rows = hold_rows(plane, 0, plane.shape().ny, stream);
  const bool filtered = filters(options.filter);
  for (std::size_t k = 0; k < grids.size(); ++k) {
    job.check();
    const MeshGrid& grid = grids[k];
    MeshTask task = task_of(context, grid, walks[k], options);
    memory.give(k, grid, task);
    measure_cells(context, rows.window, task, grid, walks[k], stream);
    if (filtered)
      filter_cells(stream, memory.part(0, k), memory.part(1, k), grid.ny(), grid.nx(), options.filter, {0, grid.ny()},
                   memory.part(2, k), memory.part(3, k));
    job.report("background", static_cast<double>(k + 1) / static_cast<double>(grids.size()));
  }
  // The host asks for the result's pages while the card is busy.
  const auto count = static_cast<std::size_t>(memory.cells()), more = filtered ? count : 0;
  MeshCells result{std::vector<float>(count), std::vector<float>(count), std::vector<float>(more),
                   std::vector<float>(more)};
  const std::array<void*, 4> parts{result.mean.data(), result.rms.data(), result.filtered_mean.data(),
                                   result.filtered_rms.data()};
  context.stager().down_parts(stream, memory.part(0), memory.cells() * static_cast<std::int64_t>(sizeof(float)),
                              std::span(parts).first(filtered ? 4 : 2));
  context.stager().drain();
  return result;
}

}  // namespace reber::cuda
