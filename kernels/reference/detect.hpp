// SPDX-License-Identifier: BSD-3-Clause
// Islands, their sums and their pixels.
#pragma once

#include <memory>
#include <vector>

#include "core/seam/compute/job.hpp"
#include "kernels/reference/plane.hpp"

namespace reber::reference {

/// Operations of the backend.
std::unique_ptr<IslandMap> label(const HostPlane& plane, const HostBackground& background, const DetectOptions& options,
                                 const Job& job);
std::vector<IslandSums> measure(const HostPlane& plane, const HostBackground& background, const HostIslands& islands,
                                const Job& job);
IslandPixels island_pixels(const HostPlane& plane, const HostBackground& background, const HostIslands& islands,
                           std::int64_t min_pixels, const Job& job);

}  // namespace reber::reference
