// SPDX-License-Identifier: BSD-3-Clause
// The beam and the pixel's area by place, on a grid whose pixels are not the same everywhere.
#pragma once

#include <array>

#include "core/base/words.hpp"
#include "core/sky/model/beam_field.hpp"
#include "core/sky/model/image_header.hpp"

namespace reber {

/// What of the one beam of a header is the same all over the image: FWHM in pixels, or on the sky.
enum class BeamIs { automatic, pixels, sky };
template <>
inline constexpr auto words<BeamIs> = std::to_array<Word<BeamIs>>({{"auto", BeamIs::automatic, "by the projection"},
                                                                   {"pixels", BeamIs::pixels, "constant in pixels"},
                                                                   {"sky", BeamIs::sky, "constant on the sky"}});

/// Never `automatic`: an image in SIN (slant and NCP too) is an interferometer's, whose beam is constant in pixels.
[[nodiscard]] BeamIs beam_is(const ImageHeader& header, BeamIs wanted);

/// `beam` at every place, and the areas of pixels. A beam without nodes, and no areas, where the sky is unknown or
/// shapes and areas of pixels are those of the middle to 1e-3. Nodes are close enough for 3e-4 at nearly all places,
/// and at most 512 along a side; where there is no sky they have what the nearest with a sky has.
///   is: not automatic;   after: of an image that was convolved, the beam then in the middle; its kernel is the same in
///   pixels everywhere
[[nodiscard]] BeamField beam_by_place(const ImageHeader& header, const std::optional<Beam>& beam, BeamIs is,
                                      const std::optional<Beam>& after);

/// Nodes that are not finite take what their nearest neighbours have. False where none is finite.
[[nodiscard]] bool fill_unknown(BeamNodes& nodes);

}  // namespace reber
