// SPDX-License-Identifier: BSD-3-Clause
// Planes made of planes.
#pragma once

#include <memory>

#include "kernels/cpu/islands/islands.hpp"
#include "kernels/cpu/job_threads.hpp"
#include "kernels/cpu/row_maker.hpp"
#include "kernels/shared/own_expression.hpp"

namespace reber::cpu {

/// derive() of the backend. Of resident planes the result is resident but for the one without islands, few of whose
/// cells are others, else it is streamed: made anew by every operation, band by band. Every n-th pixel is resident as
/// well where that is no larger than a band of the plane.
[[nodiscard]] std::unique_ptr<CpuPlane> derive(const OwnExpression<CpuPlane, CpuIslands>& what, const RowTools& tools,
                                               const JobThreads& threads);

}  // namespace reber::cpu
