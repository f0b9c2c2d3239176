// SPDX-License-Identifier: BSD-3-Clause
// Rows of maps for the host.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>

#include "core/seam/compute/backend.hpp"
#include "kernels/cuda/device/device_background.hpp"
#include "kernels/cuda/device/plane.hpp"
#include "kernels/cuda/islands/label.hpp"

namespace reber::cuda {

/// mean, rms or snr of rows [y0, y0 + ny), rows `pitch` apart, a multiple of 4. Adds the number of blank pixels to
/// `blank` where it is not null.
void render_rows(cudaStream_t stream, MapKind kind, const RowWindow& window, const BackgroundView& background,
                 std::int64_t y0, std::int64_t ny, float* out, std::int64_t pitch, unsigned long long* blank);

/// render() of the backend for the image itself, and for the maps that a background is needed for.
void fetch_pixels(const CudaPlane& plane, const Rect& where, float* out);
void render_map(MapKind kind, const CudaPlane& plane, const CudaBackground& background, const Rect& where, float* out,
                const Job& job);
/// render_each() of the backend, of a resident plane. Rectangles of the same rows that follow each other are made
/// together.
void render_maps(MapKind kind, const CudaPlane& plane, const CudaBackground& background, std::span<const Rect> where,
                 float* out, const Job& job);
/// draw_labels() of the backend.
void render_labels(const CudaIslands& islands, const Rect& where, std::int32_t* out, const Job& job);
/// Draws the whole label map into memory of the card, which is then released: what drawing costs.
void draw_and_drop(const CudaIslands& islands);
/// label_runs() of the backend.
[[nodiscard]] LabelRuns fetch_runs(const CudaIslands& islands);

}  // namespace reber::cuda
