// SPDX-License-Identifier: BSD-3-Clause
// Pixels of chosen islands, for the host.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "kernels/cuda/islands/island_order.hpp"
#include "kernels/cuda/islands/label.hpp"

namespace reber::cuda {

/// Where the pixels of the chosen islands go, island after island.
struct PixelLists {
  std::int32_t* y = nullptr;
  std::int32_t* x = nullptr;
  float* pixel = nullptr;
  float* mean = nullptr;
  float* rms = nullptr;
};

/// counts[i]: pixels of island i + 1.
void count_pixels(cudaStream_t stream, const CudaIslands& islands, const IslandOrder& order,
                  unsigned long long* counts);
/// lengths[k]: pixels of run k of by_island, 0 where its island has fewer than min_pixels.
void chosen_lengths(cudaStream_t stream, const CudaIslands& islands, const IslandOrder& order,
                    const unsigned long long* counts, std::int64_t min_pixels, std::uint32_t* lengths);
/// Pixels of the runs in rows [y0, y0 + ny). places: exclusive scan of lengths.
void gather_pixels(cudaStream_t stream, const RowWindow& window, const RunPixels& kept,
                   const BackgroundView& background, std::int64_t y0, std::int64_t ny, const CudaIslands& islands,
                   const IslandOrder& order, const std::uint32_t* lengths, const std::uint32_t* places,
                   const PixelLists& lists);

/// island_pixels() of the backend.
[[nodiscard]] IslandPixels fetch_island_pixels(const CudaPlane& plane, const CudaBackground& background,
                                               const CudaIslands& islands, std::int64_t min_pixels, const Job& job);

}  // namespace reber::cuda
