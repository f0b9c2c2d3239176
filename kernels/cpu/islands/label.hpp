// SPDX-License-Identifier: BSD-3-Clause
// From pixels to islands.
#pragma once

#include <memory>

#include "kernels/cpu/islands/foretold.hpp"
#include "kernels/cpu/islands/islands.hpp"
#include "kernels/cpu/job_threads.hpp"

namespace reber::cpu {

/// Backend::label().   foretold: by the walk that measured the background; null where none was
std::unique_ptr<CpuIslands> find_islands(const CpuPlane& plane, const CpuBackground& background,
                                         const DetectOptions& options, std::unique_ptr<Foretold> foretold,
                                         const JobThreads& threads);

/// Backend::islands_of().   count: of labels
std::unique_ptr<CpuIslands> islands_of_runs(const LabelRuns& runs, std::int64_t count, const DetectOptions& options);

}  // namespace reber::cpu
