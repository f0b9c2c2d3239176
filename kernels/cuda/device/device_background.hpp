// SPDX-License-Identifier: BSD-3-Clause
// The background model on the device.
#pragma once

#include <cstdint>
#include <memory>

#include "core/seam/compute/background.hpp"
#include "kernels/cuda/device/plane.hpp"
#include "kernels/cuda/device/views.hpp"

namespace reber::cuda {

/// Mesh nodes and axis tables of a model, uploaded; the maps of the user, held for a band at a time.
class DeviceBackground {
 public:
  DeviceBackground(Context& context, const CudaBackground& background);

  /// The background of some rows, for as long as it and the DeviceBackground live.
  struct Rows {
    BackgroundView view;
    HeldRows mean_map, rms_map;
  };
  /// Whether all rows can be held at once: no map is streamed.
  [[nodiscard]] bool whole() const {
    return (mean_map_ == nullptr || mean_map_->resident()) && (rms_map_ == nullptr || rms_map_->resident());
  }
  [[nodiscard]] Rows hold(std::int64_t y0, std::int64_t ny, cudaStream_t stream) const;

 private:
  BackgroundView view_;
  std::shared_ptr<const UploadedBackground> nodes_;  ///< what the view points into
  const CudaPlane* mean_map_ = nullptr;
  const CudaPlane* rms_map_ = nullptr;
};

}  // namespace reber::cuda
