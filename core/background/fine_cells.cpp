// SPDX-License-Identifier: BSD-3-Clause
// Which cells have a weight, rectangles of them with a margin, and the blend.
#include "core/background/fine_cells.hpp"

#include <algorithm>
#include <cmath>

#include "core/background/mesh_nodes.hpp"

namespace reber {
namespace {

/// Rows of cells that are looked at together, and columns without a weight that do not part a rectangle.
constexpr std::int64_t kBlock = 32, kGap = 16;

/// First node at or beyond a coordinate.
std::int64_t node_from(const std::vector<PixelSpan>& spans, double at) {
  return std::ranges::lower_bound(spans, at, {}, centre_of) - spans.begin();
}

/// Of each node, the distance of the closest source in pixels; `far` where none is closer.
std::vector<double> closest_sources(const FineCells& fine, const std::vector<BrightSource>& sources, const Job& job) {
  const std::vector<PixelSpan>&rows = fine.grid.rows, &cols = fine.grid.cols;
  std::vector<double> closest(static_cast<std::size_t>(fine.grid.ny() * fine.grid.nx()), fine.far);
  for (const BrightSource& source : sources) {
    job.check();
    const std::int64_t j1 = node_from(rows, source.y + fine.far), i0 = node_from(cols, source.x - fine.far),
                       i1 = node_from(cols, source.x + fine.far);
    for (std::int64_t j = node_from(rows, source.y - fine.far); j < j1; ++j)
      for (std::int64_t i = i0; i < i1; ++i) {
        double& distance = closest[static_cast<std::size_t>(j * fine.grid.nx() + i)];
        distance = std::min(distance, std::hypot(source.y - centre_of(rows[j]), source.x - centre_of(cols[i])));
      }
  }
  return closest;
}

/// Runs of columns in which a node of rows [j0, j1) has a weight.
std::vector<PixelSpan> runs_in(const FineCells& fine, const std::vector<double>& closest, std::int64_t j0,
                               std::int64_t j1) {
  std::vector<PixelSpan> runs;
  for (std::int64_t i = 0; i < fine.grid.nx(); ++i) {
    bool any = false;
    for (std::int64_t j = j0; j < j1 && !any; ++j)
      any = closest[static_cast<std::size_t>(j * fine.grid.nx() + i)] < fine.far;
    if (!any) continue;
    if (!runs.empty() && i - runs.back().end <= kGap)
      runs.back().end = i + 1;
    else
      runs.push_back({i, i + 1});
  }
  return runs;
}

PixelSpan widened(const PixelSpan& span, std::int64_t margin, std::int64_t count) {
  return {std::max<std::int64_t>(span.begin - margin, 0), std::min(span.end + margin, count)};
}

/// The cells of a rectangle of nodes, mended and filtered; empty where none is usable.
std::optional<BackgroundModel> measured(Backend& backend, const Plane& plane, const MeshGrid& grid, const PixelSpan& js,
                                        const PixelSpan& is, const MeshOptions& options, const Job& job) {
  const MeshGrid part{grid.image,
                      {grid.rows.begin() + js.begin, grid.rows.begin() + js.end},
                      {grid.cols.begin() + is.begin, grid.cols.begin() + is.end}};
  const MeshCells cells = backend.mesh(plane, part, options, job);
  if (std::ranges::none_of(cells.rms, [](float rms) { return std::isfinite(rms); })) return std::nullopt;
  return finish_mesh(part, cells, options);
}

}  // namespace

std::optional<BackgroundModel> with_fine_cells(Backend& backend, const Plane& plane, const BackgroundModel& coarse,
                                               const FineCells& fine, const std::vector<BrightSource>& sources,
                                               const MeshOptions& options, const Job& job) {
  const std::int64_t ny = fine.grid.ny(), nx = fine.grid.nx(), margin = options.filter / 2;
  const std::vector<double> closest = closest_sources(fine, sources, job);
  BackgroundModel blended = resampled(coarse, fine.grid);
  bool any = false;
  for (std::int64_t j0 = 0; j0 < ny; j0 += kBlock) {
    const PixelSpan rows{j0, std::min(j0 + kBlock, ny)};
    for (const PixelSpan& cols : runs_in(fine, closest, rows.begin, rows.end)) {
      const PixelSpan js = widened(rows, margin, ny), is = widened(cols, margin, nx);
      const std::optional<BackgroundModel> part = measured(backend, plane, fine.grid, js, is, options, job);
      if (!part) continue;
      any = true;
      for (std::int64_t j = rows.begin; j < rows.end; ++j)
        for (std::int64_t i = cols.begin; i < cols.end; ++i) {
          const auto at = static_cast<std::size_t>(j * nx + i);
          const double weight = std::clamp((fine.far - closest[at]) / (fine.far - fine.near), 0.0, 1.0);
          if (!(weight > 0)) continue;
          const auto from = static_cast<std::size_t>((j - js.begin) * is.size() + i - is.begin);
          blended.mean[at] = static_cast<float>(weight * part->mean[from] + (1 - weight) * blended.mean[at]);
          blended.rms[at] = static_cast<float>(weight * part->rms[from] + (1 - weight) * blended.rms[at]);
        }
    }
  }
  if (!any) return std::nullopt;
  return blended;
}

}  // namespace reber
