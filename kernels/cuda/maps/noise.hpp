// SPDX-License-Identifier: BSD-3-Clause
// The noise's sums of products, for the weights and errors of fits.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <optional>

#include "core/seam/compute/noise_sums.hpp"
#include "kernels/cuda/device/device_background.hpp"
#include "kernels/cuda/device/plane.hpp"
#include "kernels/cuda/islands/label.hpp"

namespace reber::cuda {

/// Side of a patch, in pixels and in words of a bit each.
inline constexpr int kNoiseSide = static_cast<int>(kMostNoiseSide), kNoiseWords = kNoiseSide / 32;
/// Most pixels around a source that are no noise.
inline constexpr int kMostNoiseGrow = 32;

/// What the kernels are given. Patches stand one behind the other.
struct NoiseTask {
  const Rect* patches = nullptr;
  int count = 0;  ///< of patches
  int ny = 0, nx = 0;
  int reach = 0, grow = 0;
  float limit = 0;
  float* values = nullptr;         ///< kNoiseSide rows of kNoiseSide of each patch; 0 where it is no noise
  std::uint32_t* known = nullptr;  ///< the same, a bit per pixel
  double* product = nullptr;       ///< of each patch its entries (NoiseSums)
  std::uint32_t* pairs = nullptr;  ///< likewise
  double* all_product = nullptr;   ///< of all patches
  double* all_pairs = nullptr;
};

/// Runs of islands by the pieces of rows (CudaIslands); null where there are none.
struct NoiseIslands {
  const rules::Run* runs = nullptr;
  const std::uint32_t* piece_begin = nullptr;
  std::int64_t pieces = 0;
};

/// S/N of the patches, then the sums of each, then those of all.
void sum_noise(cudaStream_t stream, const RowWindow& window, const BackgroundView& background,
               const NoiseIslands& islands, const NoiseTask& task);

/// noise_sums() of the backend.
[[nodiscard]] std::optional<NoiseSums> noise_sums_of(const CudaPlane& plane, const CudaBackground& background,
                                                     const CudaIslands& islands, const NoiseQuestion& question,
                                                     const Job& job);

}  // namespace reber::cuda
