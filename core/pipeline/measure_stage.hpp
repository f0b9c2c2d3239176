// SPDX-License-Identifier: BSD-3-Clause
// Stage: sums of the islands, split into sources.
#pragma once

#include <vector>

#include "core/pipeline/detect_stage.hpp"
#include "core/sources/source.hpp"

namespace reber {

/// One entry per source, islands in label order.   throws DeviceError, Cancelled
[[nodiscard]] std::vector<SourceSums> run_measure(const MeasuredPlane& in, const Detected& detected,
                                                  const Request& request, StageWork& work);

}  // namespace reber
