// SPDX-License-Identifier: BSD-3-Clause
// From stored rows to a plane of floats.
#pragma once

#include <memory>

#include "core/sky/model/pixel_source.hpp"
#include "kernels/cpu/job_threads.hpp"
#include "kernels/cpu/plane.hpp"
#include "kernels/cpu/row_maker.hpp"

namespace reber::cpu {

/// Fetches chunks of rows on all threads and decodes them by rules::decode. Counts blank pixels and infinite ones.
std::unique_ptr<CpuPlane> load_plane(const PixelSource& source, PixelMemory& memory, const JobThreads& threads);

/// A plane whose pixels stay in the source and are decoded band by band, at most band_rows rows at a time.
std::unique_ptr<CpuPlane> stream_plane(std::shared_ptr<const PixelSource> source, std::int64_t band_rows,
                                       RowTools tools);

}  // namespace reber::cpu
