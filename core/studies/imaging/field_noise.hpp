// SPDX-License-Identifier: BSD-3-Clause
// The noise of a field of a mosaic.
#pragma once

#include "core/seam/compute/backend.hpp"
#include "core/studies/imaging/mosaic_fields.hpp"

namespace reber {

/// Sets the rms of a field that has none: of its clipped pixels, every fourth along each axis of large ones, as linmos'
/// callers do. A field with a map of it only has the map looked at.
///   returns  whether there is any: false where the pixels are blank or all alike, or the map has no value above 0
///   throws as Backend::clip and PixelSource::read_rows; Cancelled
[[nodiscard]] bool measure_noise(MosaicField& field, Backend& backend, const Progress& progress);

}  // namespace reber
