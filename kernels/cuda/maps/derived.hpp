// SPDX-License-Identifier: BSD-3-Clause
// Planes made of planes: S/N, pairs of pixels, islands taken out, every n-th pixel.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>

#include "core/seam/compute/backend.hpp"
#include "kernels/cuda/device/views.hpp"
#include "kernels/cuda/islands/label.hpp"
#include "kernels/shared/own_expression.hpp"

namespace reber::cuda {

/// out: rows [y0, y0 + ny) of the combined planes, `pitch` apart. Adds the number of blank pixels to `blank`.
void combine_rows(cudaStream_t stream, PlaneRule rule, const RowWindow& a, const RowWindow& b, std::int64_t y0,
                  std::int64_t ny, float* out, std::int64_t pitch, unsigned long long* blank);
/// out: rows [y0, y0 + ny) of minus the pixels' magnitudes. Adds the number of blank pixels to `blank`.
void magnitude_rows(cudaStream_t stream, const RowWindow& from, std::int64_t y0, std::int64_t ny, float* out,
                    std::int64_t pitch, unsigned long long* blank);
/// Blanks pixels of a rectangle that lie within grow rows and columns of a run; out holds it, rows `pitch` apart.
void blank_runs(cudaStream_t stream, const CudaIslands& islands, std::int64_t grow, const Rect& where, float* out,
                std::int64_t pitch);
/// out: rows [y0, y0 + ny), nx pixels each, of every n-th pixel of the window's image. Adds the number of blank pixels
/// to `blank`.
void every_nth_rows(cudaStream_t stream, const RowWindow& from, std::int64_t n, std::int64_t y0, std::int64_t ny,
                    std::int64_t nx, float* out, std::int64_t pitch, unsigned long long* blank);
/// derive() of the backend. Of planes whose rows are made the result's are as well, but every n-th pixel is resident
/// where that is no larger than a band of the plane.
[[nodiscard]] std::unique_ptr<CudaPlane> derive(const OwnExpression<CudaPlane, CudaIslands>& what, const Job& job);

}  // namespace reber::cuda
