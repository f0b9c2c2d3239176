// SPDX-License-Identifier: BSD-3-Clause
// Gaussian fits, all threads at work on problems.
#pragma once

#include "core/compute/gaussian_fit.hpp"
#include "kernels/cpu/job_threads.hpp"

namespace reber::cpu {

FitResults fit(const FitBatch& batch, const JobThreads& threads);

}  // namespace reber::cpu
