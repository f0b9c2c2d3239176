// SPDX-License-Identifier: BSD-3-Clause
// Planes of the CUDA backend, and the walk over their bands that every operation is made of.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/seam/compute/backend.hpp"
#include "core/sky/model/image.hpp"
#include "kernels/cuda/device/context.hpp"
#include "kernels/cuda/device/row_maker.hpp"
#include "kernels/cuda/device/views.hpp"
#include "kernels/shared/background_of.hpp"

namespace reber::cuda {

/// Floats from one row to the next on the device: rows start at whole 32-byte sectors.
[[nodiscard]] constexpr std::int64_t pitch_of(std::int64_t nx) { return (nx + 7) / 8 * 8; }

/// Pixels on the device (resident), in host memory (streamed), or nowhere but where a RowMaker finds or makes them.
/// Copies share them.
class CudaPlane final : public Plane {
 public:
  CudaPlane(std::shared_ptr<Context> context, Shape shape, const TilingPlan& tiling);
  explicit CudaPlane(std::shared_ptr<RowMaker> maker);

  ~CudaPlane() override { cudaSetDevice(context_->device().device); }
  CudaPlane(const CudaPlane&) = default;
  CudaPlane& operator=(const CudaPlane&) = delete;

  [[nodiscard]] Shape shape() const override { return shape_; }
  [[nodiscard]] std::int64_t blank() const override { return maker_ ? maker_->counts().blank : blank_; }
  [[nodiscard]] std::int64_t infinite() const override { return maker_ ? maker_->counts().infinite : infinite_; }

  [[nodiscard]] bool resident() const { return tiling_.resident; }
  /// Null where pixels are kept.
  [[nodiscard]] const std::shared_ptr<RowMaker>& maker() const { return maker_; }
  [[nodiscard]] const TilingPlan& tiling() const { return tiling_; }
  [[nodiscard]] const std::shared_ptr<Context>& context() const { return context_; }
  [[nodiscard]] const void* home() const { return context_.get(); }
  [[nodiscard]] std::int64_t pitch() const { return pitch_of(shape_.nx); }
  [[nodiscard]] float* device_pixels() const { return pixels_->data(); }
  // Of planes in host memory alone.
  [[nodiscard]] const float* host_row(std::int64_t y) const { return std::as_const(*host_).data() + y * shape_.nx; }
  [[nodiscard]] float* host_row(std::int64_t y) { return host_->data() + y * shape_.nx; }
  /// The whole image; resident planes alone.
  [[nodiscard]] RowWindow window() const;

  void set_blank(std::int64_t blank, std::int64_t infinite) {
    blank_ = blank;
    infinite_ = infinite;
  }
  /// Largest absolute value of a pixel; empty where nobody has looked.
  [[nodiscard]] std::optional<float> largest() const {
    return maker_ && maker_->knows_largest() ? std::optional(maker_->counts().largest) : largest_;
  }
  void set_largest(float largest) { largest_ = largest; }

 private:
  std::shared_ptr<Context> context_;
  Shape shape_;
  TilingPlan tiling_;
  std::int64_t blank_ = 0, infinite_ = 0;
  std::optional<float> largest_;
  std::shared_ptr<DeviceBuffer<float>> pixels_;
  std::shared_ptr<Image> host_;
  std::shared_ptr<RowMaker> maker_;
};

/// A background whose maps are planes of this backend and card.
using CudaBackground = BackgroundOf<CudaPlane>;

/// Rows on the device for as long as this lives: a resident plane's own, or a band that was queued for upload.
struct HeldRows {
  RowWindow window;
  DeviceBuffer<float> memory;
};
/// Rows [y0, y0 + ny) with no halo; window.first is y0 for a streamed plane, 0 for a resident one.
[[nodiscard]] HeldRows hold_rows(const CudaPlane& plane, std::int64_t y0, std::int64_t ny, cudaStream_t stream);
/// The same with halos, rows outside the image filled by the boundary rule, for a convolution.
[[nodiscard]] HeldRows hold_rows_extended(const CudaPlane& plane, std::int64_t y0, std::int64_t ny, std::int64_t above,
                                          std::int64_t below, Boundary boundary, cudaStream_t stream);

/// One band of the walk.
struct Band {
  std::int64_t y0 = 0, ny = 0;
  cudaStream_t stream = nullptr;
};

/// First rows of bands of at most `rows` rows, then ny.
[[nodiscard]] std::vector<std::int64_t> band_edges(std::int64_t ny, std::int64_t rows);
/// Those of a plane: one band where it is resident.
[[nodiscard]] std::vector<std::int64_t> band_edges(const CudaPlane& plane);

/// Asks the job whether to stop and calls body for each band in order; bands take turns on `streams` streams (1: the
/// context's own), which first wait for the context's stream and which it waits for at the end. body queues work;
/// nothing is awaited in between. stage: what the job is told of; null: nothing.
void for_each_band(Context& context, const std::vector<std::int64_t>& edges, int streams, const Job& job,
                   const char* stage, const std::function<void(const Band&)>& body);

}  // namespace reber::cuda
