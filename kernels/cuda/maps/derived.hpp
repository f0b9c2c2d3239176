// SPDX-License-Identifier: BSD-3-Clause
// Planes made of planes: S/N, pairs of pixels, islands taken out.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>

#include "core/compute/backend.hpp"
#include "kernels/cuda/device/views.hpp"
#include "kernels/cuda/islands/label.hpp"

namespace reber::cuda {

/// out: rows [y0, y0 + ny) of the combined planes, `pitch` apart. Adds the number of blank pixels to `blank`.
void combine_rows(cudaStream_t stream, PlaneRule rule, const RowWindow& a, const RowWindow& b, std::int64_t y0,
                  std::int64_t ny, float* out, std::int64_t pitch, unsigned long long* blank);
/// Blanks pixels of rows [y0, y0 + ny) that lie within grow rows and columns of a run; out holds those rows.
void blank_runs(cudaStream_t stream, const CudaIslands& islands, std::int64_t grow, std::int64_t y0, std::int64_t ny,
                float* out, std::int64_t pitch);
/// The operations of the backend.
[[nodiscard]] std::unique_ptr<CudaPlane> make_snr(const CudaPlane& plane, const CudaBackground& background,
                                                  const Job& job);
[[nodiscard]] std::unique_ptr<CudaPlane> combine_planes(PlaneRule rule, const CudaPlane& a, const CudaPlane& b,
                                                        const Job& job);
[[nodiscard]] std::unique_ptr<CudaPlane> take_out_islands(const CudaPlane& plane, const CudaIslands& islands,
                                                          std::int64_t grow, const Job& job);

}  // namespace reber::cuda
