// SPDX-License-Identifier: BSD-3-Clause
// The sources of a list on an image's grid, and which of them overlap.
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "core/seam/compute/gaussian_fit.hpp"
#include "core/sky/model/beam_field.hpp"
#include "core/studies/forced.hpp"

namespace reber::forced {

/// Sources whose centres are closer than this part of their FWHMs' sum share pixels that matter.
inline constexpr double kOverlap = 0.75;

struct Target {
  ForcedSource source;
  GaussianComponent shape;  ///< unit peak
  bool measured = false;    ///< on the image
  [[nodiscard]] double reach() const { return std::sqrt(std::max(shape.fwhm2.xx, shape.fwhm2.yy)); }
};

/// One entry of the list a target, shapes as asked for.   beam_px: FWHM^2 of the beam on the grid, where it
/// does not vary
///   throws InputError as measure_forced
[[nodiscard]] std::vector<Target> place(const SkyList& list, const ImageHeader& header, const BeamField& beams,
                                        const std::optional<Covariance>& beam_px, ForcedRequest::ShapeOf shape,
                                        const Progress& progress);

/// Targets on the image, those that overlap together, by their first row.
[[nodiscard]] std::vector<std::vector<std::size_t>> group(const std::vector<Target>& targets, Shape shape,
                                                          const Progress& progress);

/// Targets that one component stands for.
struct Site {
  GaussianComponent shape;  ///< unit peak, at their middle
  std::vector<std::size_t> members;
  [[nodiscard]] double reach() const { return std::sqrt(std::max(shape.fwhm2.xx, shape.fwhm2.yy)); }
};

/// Sites of one shape within the part `near` of their FWHM of the first of them, as one.
[[nodiscard]] std::vector<Site> merged(const std::vector<Site>& sites, double near);

/// First row, and one past the last, within reach of a group.
[[nodiscard]] std::pair<std::int64_t, std::int64_t> rows_of(const std::vector<Target>& targets,
                                                            const std::vector<std::size_t>& group, Shape shape);

}  // namespace reber::forced
