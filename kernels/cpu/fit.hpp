// SPDX-License-Identifier: BSD-3-Clause
// Gaussian fits, all threads at work on problems.
#pragma once

#include "core/base/progress.hpp"
#include "core/base/thread_pool.hpp"
#include "core/compute/gaussian_fit.hpp"

namespace reber::cpu {

FitResults fit(const FitBatch& batch, ThreadPool& pool, const Progress& progress);

}  // namespace reber::cpu
