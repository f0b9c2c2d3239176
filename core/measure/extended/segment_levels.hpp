// SPDX-License-Identifier: BSD-3-Clause
// What an image holds at ever coarser smoothing, its compact sources taken out.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/measure/extended/segment_tree.hpp"
#include "core/run/pipeline/result.hpp"
#include "core/run/request/request.hpp"
#include "core/seam/compute/backend.hpp"

namespace reber {

struct SegmentLevels {
  std::shared_ptr<const Plane> residual;  ///< the image less its compact sources
  BackgroundModel background;             ///< of it, outside of all islands
  std::vector<SegmentLevel> levels;       ///< finest first: the image itself
  std::vector<std::string> notes;         ///< one a level
};

/// FWHM in pixels of a-trous smoothing down to c_j: steps by [1 4 6 4 1] / 16, whose variance is 4^(j - 1) pixels.
[[nodiscard]] double fwhm_of_b3(int j);

/// Islands of the image and of smoothed planes c_j, whose FWHM is a beam or more; each level's S/N is the largest of
/// its own and all finer ones, so that islands nest. A level of which the image's shorter side is less than 16
/// effective beams is left out: it has no noise to be told from. Each level has its own background and noise.
///   result: of a run that fitted or measured sources;   compact: what is taken out, in the image's unit
///   throws as Backend's operations
[[nodiscard]] SegmentLevels make_segment_levels(const Result& result, const Request& request, double beam_px,
                                                std::span<const GaussianComponent> compact, const Job& job);

}  // namespace reber
