// SPDX-License-Identifier: BSD-3-Clause
// Planes whose pixels come over the bus as they are coded.
#pragma once

#include <memory>

#include "core/seam/compute/job.hpp"
#include "core/sky/model/pixel_source.hpp"
#include "kernels/cuda/device/plane.hpp"

namespace reber::cuda {

/// A resident plane from a source of coded tiles (core/files/tiles/coded_tiles.hpp): streams are uploaded as they stand
/// in the file, and decoded on the card. Tiles of another code than RICE_1 are decoded by the host.
///   returns null where rows serve better: the plane is not resident, the source has no such tiles, too few of them or
///   odd ones, or the card no room; or a tile is damaged, which whoever reads its rows will say
///   throws what reading throws
[[nodiscard]] std::unique_ptr<CudaPlane> load_tiles(const std::shared_ptr<Context>& context, const PixelSource& source,
                                                    const TilingPlan& tiling, const Job& job);

}  // namespace reber::cuda
