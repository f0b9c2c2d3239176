// SPDX-License-Identifier: BSD-3-Clause
// Pixels of another grid, eight by eight pixels at a time.
#pragma once

#include <memory>

#include "core/sky/model/place_grid.hpp"
#include "core/sky/model/resample_table.hpp"
#include "kernels/cpu/job_threads.hpp"
#include "kernels/cpu/row_maker.hpp"

namespace reber::cpu {

/// resample() of the backend. Of a plane that is not resident no more than some tens of megabytes are held at a time,
/// where its source reads rectangles; else rows.
[[nodiscard]] std::unique_ptr<CpuPlane> resample(const CpuPlane& plane, const PlaceGrid& places,
                                                 const ResampleTable& table, const RowTools& tools,
                                                 const JobThreads& threads);

}  // namespace reber::cpu
