// SPDX-License-Identifier: BSD-3-Clause
// Clipped mode and rms of the background mesh's cells.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "core/base/progress.hpp"
#include "core/compute/background.hpp"
#include "kernels/cuda/plane.hpp"

namespace reber::cuda {

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
  /// Each room for a count, 0 at first, and the cells of this launch: what sift_cells left to its second attempt, and
  /// what it left to measure_crowded.
  std::uint32_t* unserved = nullptr;
  std::uint32_t* crowded = nullptr;
};

/// Largest cell, in pixels, that a block sorts in shared memory.
inline constexpr std::int64_t kBlockCell = 16384;
/// Largest cell that sift_cells holds, in pixels of its rows' groups of four.
inline constexpr std::int64_t kMostRoom = 32768;

/// Values of most cells. The others' numbers are listed: task.crowded[0] of them from task.crowded[1] on. room: pixels
/// of the largest cell's groups of four.
void sift_cells(cudaStream_t stream, int multiprocessors, const RowWindow& window, const MeshTask& task,
                std::int64_t room);
/// Values of the listed cells, of at most kBlockCell pixels. max_area: pixels of the largest.
void measure_crowded(cudaStream_t stream, int multiprocessors, const RowWindow& window, const MeshTask& task,
                     std::int64_t max_area);

/// keys[offsets[cell] + at] of pixel `at` of a cell: cell of this launch << 32 | float key, blank pixels last in their
/// cell. counts[cell]: finite pixels. max_area: pixels of the largest cell.
void make_cell_keys(cudaStream_t stream, const RowWindow& window, const MeshTask& task, std::int64_t max_area,
                    const std::int64_t* offsets, std::uint64_t* keys, std::uint32_t* counts);
/// Clips cells whose keys are sorted. sorted: room for `pixels` floats.
void clip_sorted_cells(cudaStream_t stream, const MeshTask& task, std::int64_t pixels, const std::int64_t* offsets,
                       const std::uint64_t* keys, const std::uint32_t* counts, float* sorted);

/// Largest side whose window a warp holds.
inline constexpr int kWidestFilter = 5;

/// Medians over `side` x `side` cells of ny x nx in both maps, the window shrinking evenly at the borders. Blank or
/// anything where a value of the window is blank. side: kWidestFilter at most.
void filter_cells(cudaStream_t stream, const float* means, const float* noises, std::int64_t ny, std::int64_t nx,
                  int side, float* filtered_means, float* filtered_noises);

/// mesh() of the backend.
[[nodiscard]] MeshCells measure_mesh(const CudaPlane& plane, const MeshGrid& grid, const MeshOptions& options,
                                     const Progress& progress);

}  // namespace reber::cuda
