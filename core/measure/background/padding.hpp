// SPDX-License-Identifier: BSD-3-Clause
// Zeros that stand in an image for pixels that were never measured.
#pragma once

#include <memory>
#include <string>

#include "core/seam/compute/backend.hpp"
#include "core/seam/compute/job.hpp"
#include "core/sky/model/pixel_source.hpp"

namespace reber {

struct Unpadded {
  std::shared_ptr<const Plane> plane;
  std::string words;  ///< what is blank and why; empty where it is the plane that was given
};

/// Whether the first or the last row has a run of 16 zeros, or is blank: padding reaches the image's end, or may reach
/// a blank frame. Reads these two rows.
///   throws what reading throws
[[nodiscard]] bool ends_in_zeros(const PixelSource& source);

/// The plane, its padding blank: regions of at least 1000 pixels that are exactly zero, each beside another, of an
/// image of floats whose first or last row that is not blank has a run of 16 of them. Noise has none. Left in, they
/// make the noise beside them too low. The same plane where there are none.
///   bitpix: of the stored pixels   throws DeviceError, Cancelled
[[nodiscard]] Unpadded without_padding(Backend& backend, std::shared_ptr<const Plane> plane, int bitpix,
                                       const Job& job);

}  // namespace reber
