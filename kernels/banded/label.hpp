// SPDX-License-Identifier: BSD-3-Clause
// From pixels to islands, over bands.
#pragma once

#include <memory>

#include "kernels/banded/islands.hpp"

namespace reber::banded {

/// Backend::label(). An island all of whose rows, and the rows beside them, lie in one band is found there. Any other
/// has pixels in the zone between two bands: it is looked for in a strip about the zone, which grows until no such
/// island leaves it.
[[nodiscard]] std::unique_ptr<BandedIslands> find_islands(const std::shared_ptr<Members>& members,
                                                          const BandedPlane& plane, const BackgroundModel& background,
                                                          const DetectOptions& options, const Job& job);

}  // namespace reber::banded
