// SPDX-License-Identifier: BSD-3-Clause
// Splits islands that hold several sources.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/base/progress.hpp"
#include "core/measure/sources/source.hpp"
#include "core/seam/compute/detection.hpp"
#include "core/sky/model/beam.hpp"
#include "core/sky/model/beam_field.hpp"
#include "core/sky/model/image_header.hpp"

namespace reber {

struct DeblendOptions {
  bool on = true;
  /// Least part of the island's flux that a peak must hold above the level where it joins another (SExtractor's
  /// contrast rule, at every level in place of a fixed number). A peak also stands if it rises above that level
  /// by the seed threshold and by twice this part of the higher peak: compact sources on wide bright emission.
  double contrast = 0.005;
  /// Least height of a peak above that level, in local rms: noise on top of a bright source is no source.
  double prominence = 2;
  bool operator==(const DeblendOptions&) const = default;
};

/// FWHM^2 of the beam on the grid at a pixel; none where there is no beam.
using GridBeam = std::function<std::optional<Covariance>(double x, double y)>;

/// One entry per source, islands in label order. Pixels are taken from bright to faint, ties in raster order; each
/// joins the peak of its brightest neighbour. Neighbours are those of the grid, and those that are neighbours where the
/// beam is round: the ridge of an elongated beam has sampled peaks that no 8 neighbours of the grid join. Where two
/// peaks meet, the greater takes up the lesser unless both stand. A peak stands if it reaches the seed threshold, rises
/// by the prominence, and either
///   - holds more than the contrast's part of the island's flux, or
///   - rises by the seed threshold and by twice the contrast of the brightest peak that meets there.
/// Deterministic: no random assignment, no fixed number of levels or sources. Islands without pixels in `pixels` stay
/// whole. All threads work.
/// throws  Cancelled
[[nodiscard]] std::vector<SourceRow> deblend(const std::vector<IslandSums>& islands, const IslandPixels& pixels,
                                             const DetectOptions& detect, const DeblendOptions& options,
                                             const GridBeam& beam, const Progress& progress = {});

/// The beam of a field at any pixel of an image.
[[nodiscard]] GridBeam grid_beam(const ImageHeader& header, const BeamField& beams);

/// A step on the grid, pixels.
struct GridStep {
  std::int32_t y, x;
  bool operator==(const GridStep&) const = default;
};
/// Steps to neighbours that the 8 of the grid lack under this beam, each with its opposite; none for a beam that is
/// round or has many pixels. Where the beam is round the grid is a lattice; its neighbours are those whose Voronoi
/// cells touch (Conway & Sloane 1992, section 2), and a Gaussian of the beam's shape has one peak among them.
[[nodiscard]] std::vector<GridStep> further_neighbours(const Covariance& beam);

/// Fewest pixels of an island that can hold two sources: three quarters of a beam's area, at least 6. Two points at the
/// seed level a beam apart cover more than one.
[[nodiscard]] std::int64_t least_blend(const ImageHeader& header, const std::optional<Beam>& beam);

}  // namespace reber
