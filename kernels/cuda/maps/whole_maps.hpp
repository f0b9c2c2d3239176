// SPDX-License-Identifier: BSD-3-Clause
// Whole maps that stay on the card, for other libraries.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/cuda/device/device_background.hpp"
#include "kernels/cuda/islands/label.hpp"
#include "kernels/cuda/maps/display.hpp"

namespace reber::cuda {

/// A map that is handed out. Who has it may queue work on streams of which we know nothing: it waits for the card
/// before its memory goes.
class CudaMap final : public CudaTile {
 public:
  using CudaTile::CudaTile;
  ~CudaMap() override;
  CudaMap(const CudaMap&) = delete;
  CudaMap& operator=(const CudaMap&) = delete;
};

/// device_map() and device_labels() of the backend. background: null for the image.
[[nodiscard]] std::shared_ptr<const DeviceTile> make_map(MapKind kind, const CudaPlane& plane,
                                                         const CudaBackground* background, const Job& job);
[[nodiscard]] std::shared_ptr<const DeviceTile> make_label_map(const CudaIslands& islands, const Job& job);

}  // namespace reber::cuda
