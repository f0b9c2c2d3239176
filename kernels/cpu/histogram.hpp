// SPDX-License-Identifier: BSD-3-Clause
// Counts a plane's pixels by their keys, for the clip solver.
#pragma once

#include "kernels/cpu/job_threads.hpp"
#include "kernels/cpu/plane.hpp"
#include "kernels/shared/clip_solver.hpp"

namespace reber::cpu {

/// Largest absolute value of the pixels that are not blank; 0 where all are.   throws Cancelled
[[nodiscard]] float largest_of(const CpuPlane& plane, const JobThreads& threads);

class PlaneHistogram final : public HistogramSource {
 public:
  PlaneHistogram(const CpuPlane& plane, const JobThreads& threads) : plane_(plane), threads_(threads) {}
  MomentHistogram moments() override;
  std::vector<std::vector<std::uint64_t>> values(std::span<const std::uint32_t> bins) override;

 private:
  const CpuPlane& plane_;
  JobThreads threads_;
};

}  // namespace reber::cpu
