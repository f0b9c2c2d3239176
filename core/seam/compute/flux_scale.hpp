// SPDX-License-Identifier: BSD-3-Clause
// From a sum of pixels to a flux.
#pragma once

#include <optional>
#include <string>

#include "core/sky/model/beam_field.hpp"
#include "core/sky/model/image_header.hpp"

namespace reber {

/// Flux (Unit::total_name()) of a sum of pixel values; NaN where the unit, or the beam or frequency it needs, is not
/// known: why_no_totals() tells.
[[nodiscard]] double flux_per_sum(const ImageHeader& header, const std::optional<Beam>& beam);
/// The same at a place, pixels, of an image whose beam or pixel area may vary. Touches no coordinate system: any thread
/// may call it.
///   nominal: flux_per_sum() of the nominal beam
[[nodiscard]] double flux_per_sum_at(const ImageHeader& header, const BeamField& beams, double nominal, double x,
                                     double y);

/// Why the totals of an image are NaN; empty where they are not.
[[nodiscard]] std::string why_no_totals(const ImageHeader& header, const std::optional<Beam>& beam);
/// flux_per_sum() where a beam has this many pixels and a pixel this area in square degrees.
[[nodiscard]] double flux_per_sum(const ImageHeader& header, double beam_area_px, double pixel_deg2);

}  // namespace reber
