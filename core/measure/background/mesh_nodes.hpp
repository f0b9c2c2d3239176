// SPDX-License-Identifier: BSD-3-Clause
// A background model on other nodes than those it was measured on.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/seam/compute/background.hpp"

namespace reber {

class ThreadPool;

/// The shorter side of the first cell, in pixels.
[[nodiscard]] std::int64_t side_of(const MeshGrid& grid);
/// Where the node of a span stands: its centre.
[[nodiscard]] double centre_of(const PixelSpan& span);
/// First and end of the nodes no farther than so many pixels from a place.
[[nodiscard]] std::pair<std::int64_t, std::int64_t> nodes_near(const std::vector<PixelSpan>& spans, double place,
                                                               double distance);

/// The mesh values of a model at the nodes of another grid of the same image, bilinear between its own. Maps given by
/// the user are not taken along. pool: rows of nodes side by side; null: one after the other
[[nodiscard]] BackgroundModel resampled(const BackgroundModel& model, MeshGrid grid, ThreadPool* pool = nullptr);

/// The value of rank n / 2 of n finite values, n > 0.
[[nodiscard]] float middle_value(const std::vector<float>& values);

/// A node and the part that it has in the value of a pixel.
struct NodePart {
  std::int64_t row = 0, col = 0;
  double part = 0;
};
/// The four nodes whose values make that of a pixel; at the borders some are one node.
[[nodiscard]] std::array<NodePart, 4> nodes_about(const MeshGrid& grid, std::int64_t y, std::int64_t x);

}  // namespace reber
