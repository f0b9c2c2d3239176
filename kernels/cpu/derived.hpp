// SPDX-License-Identifier: BSD-3-Clause
// Planes made of planes: S/N, pairs of pixels, islands taken out.
#pragma once

#include <memory>

#include "kernels/cpu/islands/islands.hpp"
#include "kernels/cpu/job_threads.hpp"
#include "kernels/cpu/row_maker.hpp"

namespace reber::cpu {

// Of resident planes these are resident but for the one without islands, else they are streamed: made anew by every
// operation, band by band.

std::unique_ptr<CpuPlane> make_snr(const CpuPlane& plane, const CpuBackground& background, const RowTools& tools,
                                   const JobThreads& threads);
std::unique_ptr<CpuPlane> combine_planes(PlaneRule rule, const CpuPlane& a, const CpuPlane& b, const RowTools& tools,
                                         const JobThreads& threads);
/// Never resident: few of its cells are other than those of the plane, and they are made one by one.
std::unique_ptr<CpuPlane> take_out_islands(const CpuPlane& plane, const CpuIslands& islands, std::int64_t grow,
                                           const RowTools& tools);
/// shape: of what is made. Resident as well where it is no larger than a band of the plane.
std::unique_ptr<CpuPlane> magnitude_plane(const CpuPlane& plane, const RowTools& tools, const JobThreads& threads);
std::unique_ptr<CpuPlane> thin_plane(const CpuPlane& plane, std::int64_t n, Shape shape, const RowTools& tools,
                                     const JobThreads& threads);

}  // namespace reber::cpu
