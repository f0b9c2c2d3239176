// SPDX-License-Identifier: BSD-3-Clause
// From stored rows to a plane of floats.
#pragma once

#include <memory>

#include "core/model/pixel_source.hpp"
#include "kernels/cpu/job_threads.hpp"
#include "kernels/cpu/plane.hpp"

namespace reber::cpu {

/// Fetches chunks of rows on all threads and decodes them by rules::decode. Counts blank pixels and infinite ones.
std::unique_ptr<CpuPlane> load_plane(const PixelSource& source, PixelMemory& memory, const JobThreads& threads);

}  // namespace reber::cpu
