// SPDX-License-Identifier: BSD-3-Clause
// Bilinear values of one mesh at the nodes of another.
#include "core/background/mesh_nodes.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace reber {
namespace {

/// Where a coordinate lies among nodes at the centres of spans: the nodes on both sides and the weight of the second.
struct Place {
  std::int64_t node = 0, next = 0;
  double weight = 0;
};

/// Of the nodes of `wanted`, which ascend, among those of `spans`.
std::vector<Place> places_among(const std::vector<PixelSpan>& spans, const std::vector<PixelSpan>& wanted) {
  const auto last = static_cast<std::int64_t>(spans.size()) - 1;
  std::vector<Place> places;
  std::int64_t node = 0;
  for (const PixelSpan& one : wanted) {
    const double position = centre_of(one);
    while (node < last && position >= centre_of(spans[node + 1])) ++node;
    const double centre = centre_of(spans[node]);
    const bool between = node < last && position > centre;
    places.push_back(
        {node, std::min(node + 1, last), between ? (position - centre) / (centre_of(spans[node + 1]) - centre) : 0.0});
  }
  return places;
}

}  // namespace

double centre_of(const PixelSpan& span) { return 0.5 * static_cast<double>(span.begin + span.end - 1); }

BackgroundModel resampled(const BackgroundModel& model, MeshGrid grid) {
  const std::vector<Place> rows = places_among(model.grid.rows, grid.rows),
                           cols = places_among(model.grid.cols, grid.cols);
  const std::int64_t nx = model.grid.nx();
  const auto values_at_nodes = [&](const std::vector<float>& values) {
    const auto at = [&](std::int64_t j, std::int64_t i) { return static_cast<double>(values[j * nx + i]); };
    std::vector<float> out;
    out.reserve(rows.size() * cols.size());
    for (const Place& y : rows)
      for (const Place& x : cols) {
        const double left = (1 - y.weight) * at(y.node, x.node) + y.weight * at(y.next, x.node);
        const double right = (1 - y.weight) * at(y.node, x.next) + y.weight * at(y.next, x.next);
        out.push_back(static_cast<float>((1 - x.weight) * left + x.weight * right));
      }
    return out;
  };
  std::vector<float> mean = values_at_nodes(model.mean), rms = values_at_nodes(model.rms);
  return {std::move(grid), std::move(mean), std::move(rms), nullptr, nullptr};
}

std::array<NodePart, 4> nodes_about(const MeshGrid& grid, std::int64_t y, std::int64_t x) {
  const Place row = places_among(grid.rows, {{y, y + 1}})[0], col = places_among(grid.cols, {{x, x + 1}})[0];
  return {{{row.node, col.node, (1 - row.weight) * (1 - col.weight)},
           {row.node, col.next, (1 - row.weight) * col.weight},
           {row.next, col.node, row.weight * (1 - col.weight)},
           {row.next, col.next, row.weight * col.weight}}};
}

}  // namespace reber
