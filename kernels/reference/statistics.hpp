// SPDX-License-Identifier: BSD-3-Clause
// Statistics, the clip, the mesh, and the background of single pixels.
#pragma once

#include <vector>

#include "core/seam/compute/job.hpp"
#include "kernels/reference/plane.hpp"
#include "kernels/reference/rules.hpp"

namespace reber::reference {

/// Background mean and rms of single pixels, from the mesh or from full-size maps.
class BackgroundAt {
 public:
  explicit BackgroundAt(const HostBackground& background);
  struct Value {
    float mean, rms;
  };
  [[nodiscard]] Value operator()(std::int64_t y, std::int64_t x) const;

 private:
  const BackgroundModel* model_;
  std::vector<Between> rows_, cols_;  ///< of each row and column
  const HostPlane* mean_map_ = nullptr;
  const HostPlane* rms_map_ = nullptr;
};

/// Operations of the backend.
PlaneStatistics statistics(const HostPlane& plane, StatisticsParts parts);
ClipStatistics clip(const HostPlane& plane, const ClipOptions& options);
MeshCells mesh(const HostPlane& plane, const MeshGrid& grid, const MeshOptions& options, const Job& job);

}  // namespace reber::reference
