// SPDX-License-Identifier: BSD-3-Clause
// Clip and statistics of a plane: the way that serves, exact in all.
#pragma once

#include "core/seam/compute/job.hpp"
#include "core/seam/compute/statistics.hpp"
#include "kernels/cuda/device/plane.hpp"

namespace reber::cuda {

/// clip() and statistics() of the backend: by sifting, else by the histograms.
[[nodiscard]] ClipStatistics clip_plane(const CudaPlane& plane, const ClipOptions& options, const Job& job);
[[nodiscard]] PlaneStatistics plane_statistics(const CudaPlane& plane, StatisticsParts parts, const Job& job);

}  // namespace reber::cuda
