// SPDX-License-Identifier: BSD-3-Clause
// The pixels of an image that lie in a coverage map (MOC).
#pragma once

#include "core/base/progress.hpp"
#include "core/sky/mask/mask.hpp"
#include "core/sky/mask/moc_file.hpp"
#include "core/sky/model/wcs.hpp"

namespace reber {

/// Whether a cell of the deepest order is covered.
[[nodiscard]] bool covers(const SkyRanges& sky, std::int64_t cell);

/// 1 where the ICRS position of a pixel's centre is covered; 0 for pixels off the sky.
///   throws InputError for an image without sky positions, or in a frame that cannot be turned into ICRS; Cancelled
[[nodiscard]] Mask mask_of(const SkyRanges& sky, const Wcs& wcs, Shape shape, const Progress& progress = {});

}  // namespace reber
