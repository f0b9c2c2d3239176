// SPDX-License-Identifier: BSD-3-Clause
// The coordinate that moments are taken over.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/sky/model/image_header.hpp"

namespace reber {

/// Coordinates of planes along the spectral axis, and how wide each is.
struct SpectralCoordinates {
  std::string unit;        ///< "km/s" or "Hz"
  std::string convention;  ///< in words, for HISTORY
  std::vector<double> at;  ///< one per plane asked for, in `unit`
  std::vector<double>
      width;  ///< half the distance between the neighbours in the cube, above 0; at its ends, to the one
};

/// Which of the image's axes is spectral (SpectralAxis), 0-based; -1 for none.
[[nodiscard]] int spectral_axis(const ImageHeader& header);

/// An axis of velocity as it stands, in km/s. Others with a rest frequency: radio velocity c (1 - nu / nu_rest) in km/s
/// (FITS paper III); without one: frequency in Hz.
///   throws InputError without a spectral axis, or where it has one plane alone
[[nodiscard]] SpectralCoordinates spectral_coordinates(const ImageHeader& header, std::span<const std::int64_t> planes);

/// Refuses planes that differ along another axis than the spectral one, such as Stokes parameters.   throws InputError
void check_one_spectrum(const ImageHeader& header, std::span<const std::int64_t> planes);

}  // namespace reber
