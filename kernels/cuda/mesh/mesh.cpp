// SPDX-License-Identifier: BSD-3-Clause
// The walk over rows of mesh cells: those that a block holds are sifted, others go through a device-wide sort.
#include "kernels/cuda/mesh/mesh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "core/base/error.hpp"
#include "core/compute/statistics.hpp"
#include "kernels/cuda/device/row_roles.hpp"
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

/// How the cells of a mesh are gone through.
struct MeshWalk {
  std::int64_t max_area, room;  ///< pixels of the largest cell, and of its rows' groups of four
  bool sifted, block_sorted;    ///< cells that a block holds; that it can sort as well
  std::int64_t list;            ///< floats of a cell's list, 0 for none
  std::int64_t most_sorted;     ///< pixels that are sorted on the whole device at a time
  std::vector<std::int64_t> groups;
  std::int64_t most_cells = 0;  ///< of a group

  [[nodiscard]] std::int64_t list_bytes() const {
    return list > 0 ? static_cast<std::int64_t>(sizeof(CellRecord)) + list * static_cast<std::int64_t>(sizeof(float))
                    : 0;
  }
};

/// shared_bytes: most that a block may have
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

/// Values of the cells of the task's rows.
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

/// Whether filter_cells() serves a filter of that side.
bool filters(int side) { return side > 1 && side <= kWidestFilter && side % 2 != 0; }

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
  const auto* const change = followed ? dynamic_cast<const ChangedRows*>(plane.maker().get()) : nullptr;
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

/// Rows of cells whose filtered values are final once those before `measured` are measured.
std::int64_t final_rows(const MeshGrid& grid, std::int64_t measured, int filter) {
  return measured == grid.ny() ? measured : std::max<std::int64_t>(measured - filter / 2, 0);
}

/// Filters the cells that a follower may know now, and hands it the rows of their group.
class Followed {
 public:
  Followed(MeshFollower* follower, const MeshGrid& grid, const MeshMemory& memory, int filter)
      : follower_(follower), grid_(grid), memory_(memory), filter_(filter) {}

  void go_on(HeldRows rows, std::int64_t measured, cudaStream_t stream) {
    if (follower_ == nullptr) return;
    const std::int64_t known = final_rows(grid_, measured, filter_);
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
  const bool changed = dynamic_cast<const ChangedRows*>(plane.maker().get()) != nullptr;
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
    const std::int64_t done = rows_between(axis, final_rows(grid, measured, options.filter), grid.ny());
    std::erase_if(held, [&](const PixelSpan& one) { return one.end <= done; });
  }
  return most * plane.pitch() * static_cast<std::int64_t>(sizeof(float));
}

MeshCells measure_mesh(const CudaPlane& plane, const MeshGrid& grid, const MeshOptions& options, MeshFollower* follower,
                       const Job& job) {
  Context& context = *plane.context();
  if (grid.ny() * grid.nx() == 0) return {};
  const cudaStream_t stream = context.stream();
  const MeshWalk walk = walk_of(plane, grid, context.device().shared_bytes);
  if (walk.max_area > std::numeric_limits<std::uint32_t>::max())
    throw InputError(
        fmt::format("cells of {} pixels are too large for the cuda backend, which takes at most 2^32 - 1 in "
                    "one; use a smaller box, or the cpu backend",
                    walk.max_area));
  const MeshMemory memory(context, grid, walk);
  MeshTask task;
  task.nx = grid.nx();
  task.kappa = options.clip.kappa;
  task.max_rounds = options.clip.max_rounds;
  task.bias = clip_bias(options.clip.kappa);
  task.min_valid = options.min_valid;
  task.centre = options.centre;
  task.few = few_cells(context.device().multiprocessors, walk.max_area);
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
