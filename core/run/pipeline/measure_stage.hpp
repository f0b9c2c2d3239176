// SPDX-License-Identifier: BSD-3-Clause
// Stage: sums of the islands, split into sources.
#pragma once

#include <vector>

#include "core/measure/sources/scale_islands.hpp"
#include "core/measure/sources/source.hpp"
#include "core/run/pipeline/detect_stage.hpp"

namespace reber {

/// Sources of the image's own islands inside those of several scales.
struct ScaleSources {
  IslandPixels outer;  ///< of every island of scales
  InnerIslands inner;
  std::vector<SourceRow> sources;  ///< their island is one of `inner`
};
/// throws DeviceError, Cancelled
[[nodiscard]] ScaleSources measure_scales(const MeasuredPlane& in, const Detected& detected, const Request& request,
                                          StageWork& work);
/// Area of the plane's beam in pixels; half a pixel without a beam.
[[nodiscard]] double area_of_beam(const MeasuredPlane& in);

/// One entry per source, islands in label order; of scales, those of the emission at the end.   throws DeviceError,
/// Cancelled
[[nodiscard]] std::vector<SourceRow> run_measure(const MeasuredPlane& in, const Detected& detected,
                                                 const Request& request, StageWork& work);

}  // namespace reber
