// SPDX-License-Identifier: BSD-3-Clause
// The backend sums the islands; those that can hold several sources are split here.
#include "core/run/pipeline/measure_stage.hpp"

#include <fmt/format.h>

#include "core/measure/sources/cut_sources.hpp"
#include "core/measure/sources/deblend.hpp"

namespace reber {
double area_of_beam(const MeasuredPlane& in) {
  const auto centre = in.header.centre_geometry();
  if (!in.beam || !centre) return 0.5;
  return gaussian_area(to_pixels(sky_covariance(in.beam->major_deg, in.beam->minor_deg, in.beam->pa_deg), *centre));
}

ScaleSources measure_scales(const MeasuredPlane& in, const Detected& detected, const Request& request,
                            StageWork& work) {
  const IslandMap& islands = *detected.islands;
  ScaleSources made;
  const GridBeam beam = grid_beam(in.header, in.beams);
  made.outer = work.backend.island_pixels(in.plane, in.background, islands, 1, work.job);
  made.inner = inner_islands(made.outer, islands.options());
  made.sources =
      deblend(made.inner.sums, made.inner.pixels, islands.options(), request.deblend, beam, work.job.progress());
  // Cut pixels are known by the labels of the map.
  std::vector<SourceRow> outward = made.sources;
  for (SourceRow& one : outward) one.island = made.inner.outer[static_cast<std::size_t>(one.island - 1)];
  mark_cut(outward, detected.known->whole() ? LabelRuns() : work.backend.label_runs(islands, work.job),
           *detected.known);
  for (std::size_t k = 0; k < made.sources.size(); ++k) made.sources[k].cut = outward[k].cut;
  return made;
}

std::vector<SourceRow> run_measure(const MeasuredPlane& in, const Detected& detected, const Request& request,
                                   StageWork& work) {
  const IslandMap& islands = *detected.islands;
  if (request.scales.any()) {
    ScaleSources scales = measure_scales(in, detected, request, work);
    move_outward(scales.sources, scales.inner, scales.outer, islands.options());
    add_scale_rows(scales.sources, scales.outer, islands.options(), area_of_beam(in), detected.waves);
    work.algorithm = fmt::format("moments; {} islands, {} of the image itself inside them; {} sources", islands.count(),
                                 scales.inner.sums.size(), scales.sources.size());
    return std::move(scales.sources);
  }
  const auto whole = work.backend.measure(in.plane, in.background, islands, work.job);
  IslandPixels pixels;
  const GridBeam beam = grid_beam(in.header, in.beams);
  if (request.deblend.on)
    pixels = work.backend.island_pixels(in.plane, in.background, islands, least_blend(in.header, in.beam), work.job);
  auto sums = deblend(whole, pixels, detected.options, request.deblend, beam, work.job.progress());
  mark_cut(sums, detected.known->whole() ? LabelRuns() : work.backend.label_runs(islands, work.job), *detected.known);
  work.algorithm = fmt::format("moments; {} islands deblended into {} sources", islands.count(), sums.size());
  return sums;
}

}  // namespace reber
