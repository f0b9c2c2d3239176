// SPDX-License-Identifier: BSD-3-Clause
// Spans of cells and places of nodes into each other.
#include "core/run/pipeline/mesh_maps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/sky/model/image.hpp"

namespace reber {
namespace {

std::vector<double> centres(const std::vector<PixelSpan>& spans) {
  std::vector<double> nodes;
  for (const PixelSpan& span : spans) nodes.push_back(0.5 * static_cast<double>(span.begin + span.end - 1));
  return nodes;
}

std::vector<PixelSpan> spans_about(const std::vector<double>& nodes) {
  std::vector<PixelSpan> spans;
  for (const double node : nodes)
    spans.push_back({static_cast<std::int64_t>(std::floor(node)), static_cast<std::int64_t>(std::ceil(node)) + 1});
  return spans;
}

}  // namespace

MeshMap mesh_map_of(const MeshGrid& grid, const std::vector<float>& values) {
  return {grid.image, centres(grid.rows), centres(grid.cols), values};
}

MeshGrid grid_of(const MeshMap& map) { return {map.image, spans_about(map.y), spans_about(map.x)}; }

bool same_nodes(const MeshGrid& grid, const MeshMap& map) {
  return grid.image == map.image && centres(grid.rows) == map.y && centres(grid.cols) == map.x;
}

void check_nodes(const MeshMap& map, const std::string& path, bool noise) {
  const char* const what = noise ? "rms" : "mean";
  if (!std::ranges::all_of(map.values, [](float value) { return std::isfinite(value); }))
    throw DataError(fmt::format("{}: a node of this {} map is not finite", path, what));
  if (!noise) return;
  if (std::ranges::any_of(map.values, [](float value) { return value < 0; }))
    throw DataError(fmt::format("{}: a node of this rms map is negative", path));
  if (std::ranges::none_of(map.values, [](float value) { return value > 0; }))
    throw DataError(fmt::format(
        "{}: no node of this rms map is above zero; a map of the noise, in the image's unit, is expected", path));
}

std::unique_ptr<Plane> expanded(Backend& backend, const MeshMap& map, const Plane& like, const TilingPlan& tiling,
                                const Job& job) {
  constexpr std::int64_t kBandPixels = std::int64_t{8} << 20;
  const BackgroundModel model{grid_of(map), map.values, std::vector<float>(map.values.size(), 0.0f), nullptr, nullptr};
  Image image(map.image);
  const std::int64_t band = std::max<std::int64_t>(kBandPixels / map.image.nx, 1);
  for (std::int64_t y = 0; y < map.image.ny; y += band)
    backend.render_rows(MapKind::mean, like, &model, y, std::min(band, map.image.ny - y),
                        image.data() + y * map.image.nx, job);
  return backend.load(*memory_source(image.data(), map.image), tiling, job);
}

}  // namespace reber
