// SPDX-License-Identifier: BSD-3-Clause
// Writing DS9's and CASA's region files.
#pragma once

#include <string>
#include <vector>

#include "core/sky/regions/region_io.hpp"

namespace reber {

/// The whole file. on_sky: positions in `system`, in ICRS where the format has no word for it; else in pixels. A DS9
/// file names regions with CASA's border by a tag, which parse_ds9() reads. In CRTF a hole that is not round is a
/// region of its own that is taken out.
///   throws InputError for what CRTF cannot say: sectors, and excluded regions with a hole that is not round
[[nodiscard]] std::string regions_text(const std::vector<Region>& regions, const Wcs& wcs, RegionFormat format,
                                       const SkySystem& system, bool on_sky);

}  // namespace reber
