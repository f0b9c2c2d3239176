// SPDX-License-Identifier: BSD-3-Clause
// Islands of nested levels become a tree: what is a structure of its own, and what lies in what.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/seam/compute/detection.hpp"

namespace reber {

/// Islands of one level of smoothing. Every island of a level lies inside one of the next.
struct SegmentLevel {
  double fwhm_px = 0;            ///< of the smoothing; 0 for the image itself
  LabelRuns runs;                ///< labels from 1
  std::vector<IslandSums> sums;  ///< of each island: of the image without its compact sources
};

/// A compact source by its place and the sum of its pixels.
struct CompactSum {
  double x = 0, y = 0, sum = 0;
};

/// A structure: the pixels of an island that its parts do not account for.
struct SegmentNode {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::size_t level = 0;       ///< of `levels`
  std::size_t parent = kNone;  ///< among the nodes; comes after its children
  LabelRuns pixels;            ///< raster order
  IslandSums sums;             ///< as the level's
};

struct SegmentRules {
  double least_sigma = 5;    ///< of what an island holds beside its parts, in errors of its own
  double least_part = 0.05;  ///< of all that it holds; of the image's own islands twice that
  double grown_sigma = 3;    ///< the same where it holds one part alone
  double grown_part = 0.01;
  double noise_area = 1;  ///< half the pixels over which noise is one
};

/// From the finest level up, an island is a node where what it holds beside the nodes inside it is above `least_sigma`
/// errors and a `least_part` of its sum with its compact sources, and so is an island of the image itself that holds
/// two compact sources or more. Where it holds one node and less than half of its sum lies beside that, it is that
/// node, grown, from `grown_sigma` and `grown_part` on. Islands that hold nothing of their own join nothing. Holes
/// belong to their node, and nodes in them lie in it.
///   levels: finest first
[[nodiscard]] std::vector<SegmentNode> make_segment_tree(std::span<const SegmentLevel> levels,
                                                         std::span<const CompactSum> compact,
                                                         const SegmentRules& rules);

/// Label of the run that holds a pixel; 0 for none.
[[nodiscard]] std::int64_t label_at(const LabelRuns& runs, std::int64_t y, std::int64_t x);

}  // namespace reber
