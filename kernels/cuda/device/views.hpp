// SPDX-License-Identifier: BSD-3-Clause
// Plain views that kernels take by value: rows of an image on the device, and the background of each pixel.
#pragma once

#include <cstdint>

#include "core/seam/compute/convolution.hpp"
#include "kernels/shared/pixel_rules.hpp"

namespace reber::cuda {

/// Rows of one image that lie on the device: all of them, or a band with its halo. Rows are `pitch` floats apart, a
/// multiple of 4, and start at a multiple of 16 bytes; what lies between nx and pitch is undefined.
struct RowWindow {
  const float* pixels = nullptr;  ///< the first row held
  std::int64_t pitch = 0;
  std::int64_t first = 0;       ///< image row of the first row held; may be negative in an extended window
  std::int64_t rows = 0;        ///< rows held
  std::int64_t ny = 0, nx = 0;  ///< of the whole image
  /// Rows outside the image stand in the window as the boundary rule has them; else first is 0 and rows is ny.
  bool extended = false;
};

/// So far apart that four neighbouring columns lie between three nodes.
inline constexpr int kWideCell = 4;

/// Mean and rms of each pixel: from the mesh's nodes, or from full-size maps.
struct BackgroundView {
  const float* mean_nodes = nullptr;
  const float* rms_nodes = nullptr;
  std::int32_t gny = 0, gnx = 0;
  const std::int32_t* row_node = nullptr;  ///< for each image row: the node above it
  const float* row_weight = nullptr;
  const std::int32_t* col_node = nullptr;
  const float* col_weight = nullptr;
  RowWindow mean_map, rms_map;  ///< pixels null where the mesh is used
  bool wide_cells = false;      ///< no maps, and at least kWideCell columns from node to node
  /// One cell and no maps: the same everywhere, and known to the host.
  bool constant = false;
  float constant_mean = 0, constant_rms = 0;
};

struct MeanRms {
  float mean, rms;
};

#ifdef __CUDACC__

/// Row y under the boundary rule, or null where there is no pixel (outside, or beyond what the window holds).
__device__ inline const float* window_row(const RowWindow& window, std::int64_t y, Boundary boundary) {
  std::int64_t row = y - window.first;
  if (!window.extended) {
    row = rules::boundary_index(y, window.ny, boundary);
  } else if (row >= window.rows) {
    row = -1;
  }
  return row < 0 ? nullptr : window.pixels + row * window.pitch;
}

/// What a convolution reads where the boundary rule has no pixel.
__device__ inline float outside_value(Boundary boundary) {
  return boundary == Boundary::blank ? rules::blank_value() : 0.0f;
}

/// Pixel x of a row made by window_row.
__device__ inline float row_value(const float* row, std::int64_t x, std::int64_t nx, Boundary boundary) {
  if (row == nullptr) return outside_value(boundary);
  if (x < 0 || x >= nx) {
    x = rules::boundary_index(x, nx, boundary);
    if (x < 0) return outside_value(boundary);
  }
  return __ldg(row + x);
}

/// What a convolution sums for a pixel: the value, blank as 0, or (mask) 1 where it is finite. Notes blank ones.
__device__ inline float convolved(float value, bool mask, bool& blank_seen) {
  const bool finite = isfinite(value);
  blank_seen |= !finite;
  if (mask) return finite ? 1.0f : 0.0f;
  return finite ? value : 0.0f;
}

/// A result as it is stored: what overflowed is blank.
__device__ inline float stored_result(float value) { return isfinite(value) ? value : rules::blank_value(); }

/// Adds one count per warp to `total`; all lanes of the warp must come.
__device__ inline void count_warp(unsigned count, unsigned long long* total) {
  for (int half = 16; half > 0; half /= 2) count += __shfl_down_sync(0xffffffffu, count, half);
  if ((threadIdx.x & 31) == 0 && count != 0) atomicAdd(total, static_cast<unsigned long long>(count));
}

/// Pixel of an ordinary (not extended) window or band.
__device__ inline float window_pixel(const RowWindow& window, std::int64_t y, std::int64_t x) {
  return window.pixels[(y - window.first) * window.pitch + x];
}

/// Node of the mesh next to `node`; the weight is 0 where there is none.
__device__ inline std::int32_t next_node(std::int32_t node, std::int32_t count) {
  return node + 1 < count ? node + 1 : node;
}

__device__ inline float mesh_at(const BackgroundView& view, const float* nodes, std::int64_t y, std::int64_t x) {
  const std::int64_t r0 = view.row_node[y], r1 = next_node(view.row_node[y], view.gny);
  const std::int32_t c0 = view.col_node[x], c1 = next_node(view.col_node[x], view.gnx);
  return rules::mesh_value(nodes[r0 * view.gnx + c0], nodes[r0 * view.gnx + c1], nodes[r1 * view.gnx + c0],
                           nodes[r1 * view.gnx + c1], view.row_weight[y], view.col_weight[x]);
}

__device__ inline MeanRms background_at(const BackgroundView& view, std::int64_t y, std::int64_t x) {
  return {view.mean_map.pixels != nullptr ? window_pixel(view.mean_map, y, x) : mesh_at(view, view.mean_nodes, y, x),
          view.rms_map.pixels != nullptr ? window_pixel(view.rms_map, y, x) : mesh_at(view, view.rms_nodes, y, x)};
}

#endif

}  // namespace reber::cuda
