// SPDX-License-Identifier: BSD-3-Clause
// Clipped mode and rms of the background mesh's cells.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "core/seam/compute/background.hpp"
#include "kernels/cuda/device/plane.hpp"
#include "kernels/cuda/device/row_roles.hpp"

namespace reber::cuda {

/// A cell before the rounds of its clip. Its sure pixels are summed, about a pivot and in units of 2^(exponent - 46);
/// its other pixels are listed. finite is 0 where nothing is left to do.
struct alignas(16) CellRecord {
  float scale, offset;  ///< of its buckets
  int lowest, highest;  ///< buckets of the outermost sure pixels
  unsigned finite, tails;
  unsigned middle_start, middle_count;  ///< rank of the first pixel that could be a median, and how many there are
  float pivot;
  int exponent;
  long long sum;           ///< of the sure pixels' distances
  long long heads, rests;  ///< of their squares: in 2^47 units squared, and in units squared
};

/// Numbers of cells, counted within a launch, on the device.
struct CellList {
  std::uint32_t* count = nullptr;
  std::uint32_t* cells = nullptr;
};

/// Cells and the rules of the clip, as the kernels take them.
struct MeshTask {
  const PixelSpan* row_spans = nullptr;
  const PixelSpan* col_spans = nullptr;
  std::int64_t nx = 0;         ///< cells in a row
  std::int64_t first_row = 0;  ///< first row of cells of this launch
  std::int64_t rows = 0;
  double kappa = 0, bias = 1, min_valid = 0, centre = 1;
  int max_rounds = 0;
  float* mean = nullptr;  ///< of all cells, row-major
  float* rms = nullptr;
  /// Empty at first, with room for the cells of this launch: those whose rounds take a warp, what sift_cells leaves to
  /// its second attempt, and what it leaves to measure_crowded. Few unserved ones are left to that as well.
  CellList lengthy, unserved, crowded;
  std::uint32_t few = 0;  ///< unserved cells, at most, that measure_crowded takes
  /// For each cell of this launch, where sift_cells serves: what is left of it, and room for list_floats() pixels of
  /// its tails and, sorted, of its middle.
  CellRecord* records = nullptr;
  float* lists = nullptr;
};

/// Largest cell, in pixels, that a block sorts in shared memory.
inline constexpr std::int64_t kBlockCell = 16384;
/// Unserved cells that measure_crowded takes at once, where they are no more than these: it has a block for each.
[[nodiscard]] std::uint32_t few_cells(int multiprocessors, std::int64_t max_area);
/// Shared memory of a block that sorts such cells.
[[nodiscard]] std::int64_t crowded_bytes(std::int64_t max_area);
/// Values of the listed cells, of at most kBlockCell pixels. max_area: pixels of the largest.
void measure_crowded(cudaStream_t stream, int multiprocessors, const RowWindow& window, const MeshTask& task,
                     std::int64_t max_area);

/// Cells that are sorted on the whole device.
struct SortedCells {
  const std::uint32_t* cells = nullptr;   ///< numbers within the launch
  const std::int64_t* offsets = nullptr;  ///< where each one's pixels begin, and where the last one's end
  std::int64_t count = 0;
};
/// keys[offsets[k] + at] of pixel `at` of the list's cell k: k << 32 | float key, blank pixels last in their cell.
/// counts[k]: finite pixels. max_area: pixels of the largest cell.
void make_cell_keys(cudaStream_t stream, const RowWindow& window, const MeshTask& task, std::int64_t max_area,
                    const SortedCells& list, std::uint64_t* keys, std::uint32_t* counts);
/// Clips cells whose keys are sorted. sorted: room for `pixels` floats.
void clip_sorted_cells(cudaStream_t stream, const MeshTask& task, std::int64_t pixels, const SortedCells& list,
                       const std::uint64_t* keys, const std::uint32_t* counts, float* sorted);

/// Largest side whose window a thread holds.
inline constexpr int kWidestFilter = 5;

/// Rows of cells [first, end).
struct CellRows {
  std::int64_t first, end;
};

/// Medians over `side` x `side` cells of ny x nx in both maps, the window shrinking evenly at the borders; those of
/// `rows` alone, which no value more than side / 2 rows from them enters. Blank or anything where a value of the window
/// is blank. side: kWidestFilter at most.
void filter_cells(cudaStream_t stream, const float* means, const float* noises, std::int64_t ny, std::int64_t nx,
                  int side, const CellRows& rows, float* filtered_means, float* filtered_noises);

/// mesh() of the backend. follower: goes along where followed_bytes() is not 0; null: nobody
[[nodiscard]] MeshCells measure_mesh(const CudaPlane& plane, const MeshGrid& grid, const MeshOptions& options,
                                     MeshFollower* follower, const Job& job);
/// Bytes of rows that are held at a time where somebody follows; 0 where nobody can: the plane is kept, or the values
/// of cells are not filtered on the card.
[[nodiscard]] std::int64_t followed_bytes(const CudaPlane& plane, const MeshGrid& grid, const MeshOptions& options);

}  // namespace reber::cuda
