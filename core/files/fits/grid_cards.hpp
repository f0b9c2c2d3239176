// SPDX-License-Identifier: BSD-3-Clause
// The celestial grid of an image apart from the rest of its header, and a header put on another grid.
#pragma once

#include <string>
#include <vector>

#include "core/base/shape.hpp"
#include "core/sky/model/image_header.hpp"

namespace reber {

/// Pixels on the sky.
struct SkyGrid {
  Shape shape;
  std::vector<std::string> cards;  ///< of 80 characters: CTYPE1 to PC2_2, LONPOLE, RADESYS ...; longitude may be axis 2
  Wcs wcs;

  /// The same pixels counted from elsewhere: pixel (x, y) becomes (x + dx, y + dy).
  [[nodiscard]] SkyGrid moved(double dx, double dy, Shape new_shape) const;
};

/// A grid of these cards.   throws InputError where WCSLIB cannot read them
[[nodiscard]] SkyGrid sky_grid(Shape shape, std::vector<std::string> cards);

/// That of an image: its projection, frame and distortions, its matrix as PC and CDELT.
///   throws InputError where it has no sky coordinates
[[nodiscard]] SkyGrid sky_grid(const ImageHeader& header);

/// The header with the grid in place of its own: shape, axes, WCS and cards; all else, other axes included, is kept.
[[nodiscard]] ImageHeader on_grid(const ImageHeader& header, const SkyGrid& grid);

}  // namespace reber
