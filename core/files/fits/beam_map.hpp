// SPDX-License-Identifier: BSD-3-Clause
// A map of the beam: how it varies over an image.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "core/files/fits/grid_cards.hpp"
#include "core/files/io/atomic_file.hpp"
#include "core/sky/model/beam_field.hpp"
#include "core/sky/model/image_header.hpp"

namespace reber {

/// The beam of an image from a FITS cube as Aegean's --psf takes it: three planes or more, the first three of which
/// are major axis, minor axis (FWHM, degrees) and position angle (degrees, north through east). It holds for every
/// plane of a cube; a map with a fourth axis as long as the cube has planes holds such planes for each of them. Its
/// grid may be any, with sky coordinates; without them it is the image's. Between its pixels FWHM^2 are bilinear,
/// beyond its edge they are those of the edge, and blank places take the beam of the nearest that are known.
///   throws InputError for an image without sky coordinates, a map with fewer planes, for another number of planes of a
///   cube, of another kind of frame or
///   without a beam, or with axes that no beam of this image can have; as ImagePlane::open
[[nodiscard]] BeamField read_beam_map(const std::string& path, const ImageHeader& image, const Progress& progress = {});

/// Whether such a map has a beam for the image's plane anywhere: a pixel whose three values are those of a beam.
///   throws InputError for a map with fewer planes, or for another number of planes of a cube; as ImagePlane::open
[[nodiscard]] bool beam_map_knows(const std::string& path, const ImageHeader& image, const Progress& progress = {});

/// Such a map has a pixel every kBeamMapStep pixels of the grid that it is written for, from the first on.
inline constexpr std::int64_t kBeamMapStep = 32;
/// Its pixels: one more along each axis than lies on the grid.
[[nodiscard]] constexpr Shape beam_map_nodes(Shape grid) {
  return {(grid.ny - 1) / kBeamMapStep + 2, (grid.nx - 1) / kBeamMapStep + 2};
}
/// The beams of beam_map_nodes(), row by row; empty where no beam is known.
using BeamMapNodes = std::vector<std::optional<Beam>>;
/// Those of a beam that is known at any pixel of the grid.   throws Cancelled
[[nodiscard]] BeamMapNodes beam_map_of(Shape grid, const std::function<std::optional<Beam>(PixelPosition)>& beam,
                                       const Progress& progress = {});

/// Writes such a map for an image on this grid, in degrees; blank where no beam is known.
///   input    a path that may not be written over
///   maps     1: it holds for all planes of a cube; else one for each, along a fourth axis
///   map_of   makes one of them; called in order, once for each
///   throws InputError for a grid with distortions, and as CubeWriter
void write_beam_map(const std::string& path, const std::string& input, const SkyGrid& grid, std::int64_t maps,
                    const std::function<BeamMapNodes(std::int64_t map)>& map_of,
                    const std::vector<std::string>& history, const FileOptions& how, const Progress& progress = {});

}  // namespace reber
