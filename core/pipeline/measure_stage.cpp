// SPDX-License-Identifier: BSD-3-Clause
// The backend sums the islands; those that can hold several sources are split here.
#include "core/pipeline/measure_stage.hpp"

#include <fmt/format.h>

#include "core/sources/cut_sources.hpp"
#include "core/sources/deblend.hpp"

namespace reber {
std::vector<SourceSums> run_measure(const MeasuredPlane& in, const Detected& detected, const Request& request,
                                    StageWork& work) {
  const IslandMap& islands = *detected.islands;
  const auto whole = work.backend.measure(in.plane, in.background, islands, work.job);
  IslandPixels pixels;
  if (request.deblend.on)
    pixels = work.backend.island_pixels(in.plane, in.background, islands, least_blend(in.header, in.beam), work.job);
  auto sums = deblend(whole, pixels, detected.options, request.deblend, work.job.progress());
  mark_cut(sums, detected.known->whole() ? LabelRuns() : work.backend.label_runs(islands, work.job), *detected.known);
  work.algorithm = fmt::format("moments; {} islands deblended into {} sources", islands.count(), sums.size());
  return sums;
}

}  // namespace reber
