// SPDX-License-Identifier: BSD-3-Clause
// A measured background at pixels, on the host.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/shape.hpp"
#include "core/seam/compute/background.hpp"

namespace reber {

/// Values between the nodes of a grid. Many small rectangles cost no call of a backend, and no axis anew.
class MeshValues {
 public:
  explicit MeshValues(const MeshGrid& grid);

  /// A rectangle of the map that these nodes make, inside the image, with the bits of Backend::render(); out: its rows
  /// without gaps.   nodes: grid.ny x grid.nx
  void rectangle(const std::vector<float>& nodes, const Rect& where, float* out) const;

 private:
  std::int64_t ny_, nx_;
  MeshAxis rows_, cols_;
};

}  // namespace reber
