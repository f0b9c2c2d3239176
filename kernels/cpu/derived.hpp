// SPDX-License-Identifier: BSD-3-Clause
// Planes made of planes: S/N, pairs of pixels, islands taken out.
#pragma once

#include <memory>

#include "kernels/cpu/islands.hpp"
#include "kernels/cpu/job_threads.hpp"
#include "kernels/cpu/plane.hpp"

namespace reber::cpu {

std::unique_ptr<CpuPlane> make_snr(const CpuPlane& plane, const CpuBackground& background, PixelMemory& memory,
                                   const JobThreads& threads);
std::unique_ptr<CpuPlane> combine_planes(PlaneRule rule, const CpuPlane& a, const CpuPlane& b, PixelMemory& memory,
                                         const JobThreads& threads);
std::unique_ptr<CpuPlane> take_out_islands(const CpuPlane& plane, const CpuIslands& islands, std::int64_t grow,
                                           PixelMemory& memory, const JobThreads& threads);

}  // namespace reber::cpu
