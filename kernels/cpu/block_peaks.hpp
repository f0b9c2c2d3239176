// SPDX-License-Identifier: BSD-3-Clause
// Peaks of blocks of a plane's pixels, for pictures.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/cpu/job_threads.hpp"
#include "kernels/cpu/plane.hpp"

namespace reber::cpu {

/// block_peaks() of the backend.
[[nodiscard]] std::optional<std::vector<float>> block_peaks_of(const CpuPlane& plane, std::int64_t block,
                                                               const JobThreads& threads);

}  // namespace reber::cpu
