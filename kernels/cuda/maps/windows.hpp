// SPDX-License-Identifier: BSD-3-Clause
// Small rectangles of a plane, without the rest of their rows.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>

#include "kernels/cuda/device/device_background.hpp"
#include "kernels/cuda/device/plane.hpp"

namespace reber::cuda {

/// A rectangle of an image whose pixels stand on the card, and where what is made of it begins.
struct WindowPixels {
  const float* pixels = nullptr;  ///< of its first row and column
  std::int64_t pitch = 0, begin = 0;
  Rect where;
};
/// Queues S/N of `count` windows into out, each from its place on, rows without gaps.   windows: on the card
void snr_of_windows(cudaStream_t stream, const WindowPixels* windows, std::int64_t count,
                    const BackgroundView& background, float* out);

/// Whether the pixels of all these can be had, and stand on the card, by themselves: they are narrow and few, and the
/// plane is on the card or its source reads rectangles.
[[nodiscard]] bool are_windows(const CudaPlane& plane, std::span<const Rect> where);
/// S/N of windows, one behind the other, rows without gaps.   background: without maps
void render_windows(const CudaPlane& plane, const DeviceBackground& background, std::span<const Rect> where,
                    float* out);
/// Pixels of a window of a plane whose source reads rectangles.
void fetch_window(const CudaPlane& plane, const Rect& where, float* out);

}  // namespace reber::cuda
