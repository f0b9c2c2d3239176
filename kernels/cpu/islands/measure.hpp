// SPDX-License-Identifier: BSD-3-Clause
// What is told of islands: sums, pixels, rows of the label map.
#pragma once

#include <vector>

#include "kernels/cpu/islands/islands.hpp"
#include "kernels/cpu/job_threads.hpp"

namespace reber::cpu {

/// Backend::measure() and Backend::island_pixels().
std::vector<IslandSums> measure_islands(const CpuPlane& plane, const CpuBackground& background,
                                        const CpuIslands& islands, const JobThreads& threads);

IslandPixels gather_pixels(const CpuPlane& plane, const CpuBackground& background, const CpuIslands& islands,
                           std::int64_t min_pixels, const JobThreads& threads);

/// Pixels [x0, x0 + nx) of row y of the label map.
void draw_label_row(const CpuIslands& islands, std::int64_t y, std::int64_t x0, std::int64_t nx, std::int32_t* out);

}  // namespace reber::cpu
