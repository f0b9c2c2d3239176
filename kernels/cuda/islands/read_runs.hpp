// SPDX-License-Identifier: BSD-3-Clause
// Pixels of islands that nothing kept, read without the rest of their rows.
#pragma once

#include <memory>

#include "kernels/cuda/islands/kept_pixels.hpp"

namespace reber::cuda {

/// Null where the plane is not read from a source that reads rectangles, where the pixels are more than labelling would
/// keep, or where a walk over the rows is sooner.   throws what reading throws; Cancelled
[[nodiscard]] std::shared_ptr<const KeptPixels> read_runs(const CudaIslands& islands, const CudaPlane& plane,
                                                          const Job& job);

}  // namespace reber::cuda
