// SPDX-License-Identifier: BSD-3-Clause
// Counts a plane's pixels by their keys, for the clip solver.
#pragma once

#include "core/base/thread_pool.hpp"
#include "kernels/cpu/plane.hpp"
#include "kernels/shared/clip_solver.hpp"

namespace reber::cpu {

class PlaneHistogram final : public HistogramSource {
 public:
  PlaneHistogram(const CpuPlane& plane, ThreadPool& pool) : plane_(plane), pool_(pool) {}
  MomentHistogram moments() override;
  std::vector<std::vector<std::uint64_t>> values(std::span<const std::uint32_t> bins) override;

 private:
  const CpuPlane& plane_;
  ThreadPool& pool_;
};

}  // namespace reber::cpu
