// SPDX-License-Identifier: BSD-3-Clause
// Pixels above the thresholds of a plane: found by a walk of their own, or foretold in the walk that measured the
// background.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/cuda/device/row_roles.hpp"
#include "kernels/cuda/islands/kept_pixels.hpp"
#include "kernels/cuda/islands/label.hpp"
#include "kernels/shared/foretold_nodes.hpp"

namespace reber::cuda {

/// Two masks of a bit per pixel, and the pixels of the first that were kept.
struct FloodMasks {
  explicit FloodMasks(const CudaPlane& plane);

  /// Sets the rows [y0, y0 + ny) of the masks and keeps their pixels.   x0: column of the image that the window begins
  /// with, the first of a piece
  void take(const Band& band, const RowWindow& window, BackgroundView levels, const DetectOptions& options,
            std::int64_t x0 = 0) const;

  DeviceBuffer<std::uint32_t> bits;
  BitMask flood, seed;
  PixelKeeper keeper;
};

/// Masks that were made before anybody asked for them.
class Foretold {
 public:
  /// nodes: that the pixels were compared with
  Foretold(FloodMasks made, std::weak_ptr<RowMaker> of, ForetoldNodes nodes);

  /// Makes these the masks of that plane, background and options: where a node has other bits than was foretold, the
  /// pixels about it are read and compared again.   returns false where they are of something else, or too many nodes
  /// are others
  [[nodiscard]] bool become(const CudaPlane& plane, const CudaBackground& background, const DetectOptions& wanted,
                            const Job& job) const;
  [[nodiscard]] FloodMasks take() && { return std::move(masks_); }

 private:
  FloodMasks masks_;
  std::weak_ptr<RowMaker> of_;
  ForetoldNodes nodes_;
};

/// Makes the masks of a plane while its background is measured, as though no cell were without a value.
class Foreteller final : public MeshFollower {
 public:
  Foreteller(const CudaPlane& plane, const MeshGrid& grid, const DetectOptions& options);

  void follow(HeldRows rows, const NodesSoFar& nodes, cudaStream_t stream) override;
  /// cells: what the walk measured.   returns null where the walk did not come to its end
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
