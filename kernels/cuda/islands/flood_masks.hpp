// SPDX-License-Identifier: BSD-3-Clause
// Pixels above the thresholds of a plane: found by a walk of their own, or foretold in the walk that measured the
// background.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/cuda/device/row_roles.hpp"
#include "kernels/cuda/islands/kept_pixels.hpp"
#include "kernels/cuda/islands/label.hpp"

namespace reber::cuda {

/// Two masks of a bit per pixel, and the pixels of the first that were kept.
struct FloodMasks {
  explicit FloodMasks(const CudaPlane& plane);

  /// Sets the rows [y0, y0 + ny) of the masks and keeps their pixels.
  void take(const Band& band, const RowWindow& window, const BackgroundView& levels,
            const DetectOptions& options) const;

  DeviceBuffer<std::uint32_t> bits;
  BitMask flood, seed;
  PixelKeeper keeper;
};

/// Masks that were made before anybody asked for them.
struct Foretold {
  FloodMasks masks;
  std::weak_ptr<RowMaker> of;
  DetectOptions options;
  MeshGrid grid;
  std::vector<float> mean, rms;  ///< nodes that the pixels were compared with

  /// Whether these are the masks of that plane, background and options: to the last bit of each node.
  [[nodiscard]] bool holds(const CudaPlane& plane, const CudaBackground& background, const DetectOptions& wanted) const;
};

/// Makes the masks of a plane while its background is measured, as though no cell were without a value.
class Foreteller final : public MeshFollower {
 public:
  Foreteller(const CudaPlane& plane, const MeshGrid& grid, const DetectOptions& options);

  void follow(HeldRows rows, const NodesSoFar& nodes, cudaStream_t stream) override;
  /// cells: what the walk measured.   returns null where some cell had no value, which changes its neighbours'
  [[nodiscard]] std::unique_ptr<Foretold> end(const MeshCells& cells);

 private:
  CudaPlane plane_;
  MeshGrid grid_;
  DetectOptions options_;
  MeshAxis axis_;
  FloodMasks masks_;
  DeviceBackground places_;    ///< where pixels lie between nodes; its values are none
  std::deque<HeldRows> held_;  ///< rows that are not all in the masks
  std::int64_t done_ = 0;      ///< rows [0, done_) are in the masks
};

}  // namespace reber::cuda
