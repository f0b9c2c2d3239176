// SPDX-License-Identifier: BSD-3-Clause
// First along y at both columns of nodes, then along x, each step one fused multiply-add in float.
#include "core/measure/background/mesh_values.hpp"

#include <algorithm>
#include <cmath>

namespace reber {
namespace {

float between(float a, float b, float weight) { return std::fma(weight, b - a, a); }

}  // namespace

MeshValues::MeshValues(const MeshGrid& grid)
    : ny_(grid.ny()),
      nx_(grid.nx()),
      rows_(mesh_axis(grid.rows, grid.image.ny)),
      cols_(mesh_axis(grid.cols, grid.image.nx)) {}

void MeshValues::rectangle(const std::vector<float>& nodes, const Rect& where, float* out) const {
  for (std::int64_t y = where.y0; y < where.y0 + where.ny; ++y) {
    const std::int64_t above = rows_.node[y] * nx_, below = std::min<std::int64_t>(rows_.node[y] + 1, ny_ - 1) * nx_;
    const auto at_column = [&](std::int64_t i) { return between(nodes[above + i], nodes[below + i], rows_.weight[y]); };
    for (std::int64_t x = where.x0; x < where.x0 + where.nx;) {
      const std::int64_t left = cols_.node[x];
      const float first = at_column(left), next = at_column(std::min(left + 1, nx_ - 1));
      for (; x < where.x0 + where.nx && cols_.node[x] == left; ++x) *out++ = between(first, next, cols_.weight[x]);
    }
  }
}

}  // namespace reber
