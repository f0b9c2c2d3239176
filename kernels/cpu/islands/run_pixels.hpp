// SPDX-License-Identifier: BSD-3-Clause
// The pixels of islands alone: what is kept of a streamed plane once its islands are known.
#pragma once

#include <memory>
#include <vector>

#include "kernels/cpu/islands/islands.hpp"
#include "kernels/cpu/job_threads.hpp"
#include "kernels/cpu/plane.hpp"

namespace reber::cpu {

/// Pixels of each run of an island map: a resident plane's own, those that labelling left, or copies: read by
/// themselves where they are few, made by one walk over a streamed plane elsewhere. Must not outlive plane and islands.
class RunPixels {
 public:
  RunPixels(const CpuPlane& plane, const CpuIslands& islands, const JobThreads& threads);

  /// First pixel of run k of CpuIslands::by_island.
  [[nodiscard]] const float* run(std::int64_t k) const {
    const rules::Run& run = islands_.by_island[k];
    return plane_.resident() ? plane_.row(run.y) + run.x0 : kept_->pixels.data() + kept_->first[k];
  }

 private:
  const CpuPlane& plane_;
  const CpuIslands& islands_;
  std::shared_ptr<const KeptPixels> kept_;
};

}  // namespace reber::cpu
