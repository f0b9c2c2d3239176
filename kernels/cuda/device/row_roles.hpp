// SPDX-License-Identifier: BSD-3-Clause
// What a RowMaker can do in addition; and who goes along with the walk that measures a background, and compares pixels
// with it a few rows later.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/cuda/device/plane.hpp"
#include "kernels/shared/run_windows.hpp"

namespace reber::cuda {

/// Rows of which rectangles can be made by themselves.
class MakesRectangles {
 public:
  virtual ~MakesRectangles() = default;
  /// Queues rectangles into out on the device, rows pitch_of(nx) apart each; no other pixel is read.   throws what
  /// reading throws
  virtual void make_rectangles(std::span<const Rect> where, std::span<float* const> out, cudaStream_t stream) = 0;
};

/// Rows that are read from a source.
class ReadRows {
 public:
  virtual ~ReadRows() = default;
  /// Queues the pixels of the windows' runs into out on the device, one run behind the other; no other pixel is read.
  /// Of rows that make rectangles.   pixels: of these runs together;   throws what reading throws
  virtual void make_runs(std::span<const RunWindow> windows, const std::vector<rules::Run>& runs, float* out,
                         std::int64_t pixels, cudaStream_t stream) = 0;
  [[nodiscard]] virtual std::int64_t stored_pixel_bytes() const = 0;
  /// Bytes of the card that a walk may hold rows back in, beside a band.
  [[nodiscard]] virtual std::int64_t lag_bytes() const = 0;
};

/// Rows of another plane in which some pixels are changed.
class ChangedRows {
 public:
  virtual ~ChangedRows() = default;
  [[nodiscard]] virtual const CudaPlane& base() const = 0;
  /// Queues the change of rows [y0, y0 + ny) of the base, in place.
  virtual void change(std::int64_t y0, std::int64_t ny, float* rows, cudaStream_t stream) const = 0;
  /// Bytes of the card that it holds.
  [[nodiscard]] virtual std::int64_t held_bytes() const = 0;
};

// The roles of a plane's rows; null where its pixels are kept or they have none.
[[nodiscard]] inline MakesRectangles* rectangles_of(const CudaPlane& plane) {
  return plane.maker() ? plane.maker()->rectangles() : nullptr;
}
[[nodiscard]] inline ReadRows* read_rows_of(const CudaPlane& plane) {
  return plane.maker() ? plane.maker()->read_rows() : nullptr;
}
[[nodiscard]] inline const ChangedRows* changed_rows_of(const CudaPlane& plane) {
  return plane.maker() ? plane.maker()->changed_rows() : nullptr;
}

/// Filtered values of a mesh's cells on the device, row-major. Of all rows of cells the first `rows` are final, if no
/// cell is without a value.
struct NodesSoFar {
  const float *means = nullptr, *noises = nullptr;
  std::int64_t rows = 0;
};

/// Is given the rows of the plane, group after group.
class MeshFollower {
 public:
  virtual ~MeshFollower() = default;
  /// rows: of the plane as it is read, [first, first + rows) of its window; they begin no later than those before end.
  /// Work is queued on the stream.
  virtual void follow(HeldRows rows, const NodesSoFar& nodes, cudaStream_t stream) = 0;
};

}  // namespace reber::cuda
