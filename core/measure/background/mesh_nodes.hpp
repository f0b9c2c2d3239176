// SPDX-License-Identifier: BSD-3-Clause
// A background model on other nodes than those it was measured on.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/seam/compute/background.hpp"

namespace reber {

/// The shorter side of the first cell, in pixels.
[[nodiscard]] std::int64_t side_of(const MeshGrid& grid);
/// Where the node of a span stands: its centre.
[[nodiscard]] double centre_of(const PixelSpan& span);
/// First and end of the nodes no farther than so many pixels from a place.
[[nodiscard]] std::pair<std::int64_t, std::int64_t> nodes_near(const std::vector<PixelSpan>& spans, double place,
                                                               double distance);

/// Where a place lies among nodes: those on both sides of it, or the two outermost ones; how far it is on the way from
/// the first to the second, below 0 and above 1 at the rims; and, within these, the weight of the second. Of a single
/// node both are it, and the way is counted in its widths.
struct Between {
  std::size_t first = 0, second = 0;
  double from = 0, weight = 0;
};
[[nodiscard]] Between between(const std::vector<PixelSpan>& spans, double place);

/// The mesh values of a model at the nodes of another grid of the same image, bilinear between its own. Maps given by
/// the user are not taken along.
[[nodiscard]] BackgroundModel resampled(const BackgroundModel& model, MeshGrid grid);

/// Nodes or cells of which one thread makes what others would be called for.
inline constexpr std::size_t kFewNodes = std::size_t{1} << 12;

/// The value of rank n / 2 of n finite values, n > 0.
[[nodiscard]] float middle_value(std::vector<float> values);

/// A node and the part that it has in the value of a pixel.
struct NodePart {
  std::size_t row = 0, col = 0;
  double part = 0;
};
/// The four nodes whose values make that of a pixel; at the borders some are one node.
[[nodiscard]] std::array<NodePart, 4> nodes_about(const MeshGrid& grid, std::int64_t y, std::int64_t x);

}  // namespace reber
