// SPDX-License-Identifier: BSD-3-Clause
// The grid that images are put on: like another image's, or a projection about a place, as large as the images need.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/base/words.hpp"
#include "core/files/fits/grid_cards.hpp"
#include "core/sky/model/sky_frames.hpp"

namespace reber {

/// Projections of new grids (Calabretta & Greisen 2002; HPX: Calabretta & Roukema 2007). Zenithal ones have the centre
/// as reference point, the others the point of the equator at its longitude.
enum class Projection { sin, tan, zea, arc, stg, car, ait, mol, hpx };
template <>
inline constexpr auto words<Projection> =
    std::to_array<Word<Projection>>({{"SIN", Projection::sin, "orthographic", "sin"},
                                     {"TAN", Projection::tan, "gnomonic", "tan"},
                                     {"ZEA", Projection::zea, "zenithal equal-area", "zea"},
                                     {"ARC", Projection::arc, "zenithal equidistant", "arc"},
                                     {"STG", Projection::stg, "stereographic", "stg"},
                                     {"CAR", Projection::car, "plate carree", "car"},
                                     {"AIT", Projection::ait, "Hammer-Aitoff", "ait"},
                                     {"MOL", Projection::mol, "Mollweide", "mol"},
                                     {"HPX", Projection::hpx, "HEALPix", "hpx"}});

struct GridChoice {
  std::optional<Projection> projection;  ///< empty: that of the first image
  std::optional<SkySystem> system;       ///< empty: that of the first image
  std::optional<SkyPosition> centre;     ///< in the system; empty: the middle of the first image
  std::optional<double> pixel_arcsec;    ///< empty: the pixel of the first image, as a square
  std::optional<Shape> size;             ///< about the centre; empty: all that the images cover
  double rotate_deg = 0;                 ///< of the axes, from north through east
};

/// throws InputError where an image has no sky coordinates, the projection does not reach an image, or the grid would
/// have more than 10^6 pixels along a side
[[nodiscard]] SkyGrid choose_grid(const GridChoice& choice, std::span<const ImageHeader* const> images);

/// Pixels of a grid that an image covers, at least where a lattice of 65 x 65 and its edges say so; empty where none.
[[nodiscard]] Rect footprint(const Wcs& image, Shape shape, const SkyGrid& grid);

}  // namespace reber
