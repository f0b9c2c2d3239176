// SPDX-License-Identifier: BSD-3-Clause
// Gaussian fits, all threads at work on problems.
#pragma once

#include <cstdint>
#include <span>

#include "core/seam/compute/gaussian_fit.hpp"
#include "kernels/cpu/job_threads.hpp"

namespace reber::cpu {

FitResults fit(const FitBatch& batch, const JobThreads& threads);

/// Some problems of a batch that was checked, begun in the order of `which`: HostFits of kernels/shared/fit_split.hpp.
FitResults fit_some(const FitBatch& batch, std::span<const std::int32_t> which, ThreadPool& pool, const Job& job);

}  // namespace reber::cpu
