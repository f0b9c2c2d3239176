// SPDX-License-Identifier: BSD-3-Clause
// From the kernel that the user names to weights on this image's grid, with the beam and the flux scale that follow.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/run/request/request.hpp"
#include "core/seam/compute/convolution.hpp"
#include "core/sky/model/beam.hpp"
#include "core/sky/model/image_header.hpp"

namespace reber {

/// A convolution ready to be planned: the kernel on the pixel grid, the beam after it and the factor in its weights.
struct ResolvedConvolution {
  ConvolutionSpec spec;
  std::optional<Beam> beam_after;
  bool copy = false;               ///< the target is the image's own beam: nothing to do
  double flux_factor = 1;          ///< already in the weights
  std::string unit_after;          ///< BUNIT of the result where it is another than the image's
  std::vector<std::string> notes;  ///< for the report and HISTORY
};

/// Factor that keeps the flux scale on smoothing: brightness per beam grows with the beam, Omega_target / Omega_source;
/// K, Jy/sr and Jy/pixel keep their value.   throws InputError for an unknown unit
[[nodiscard]] double smoothing_flux_factor(const ImageHeader& header, const Beam& target, const Beam& source);

/// Kernel from the request and the image's beam, unit and geometry (at the image's centre, by WCSLIB).
/// An image in Jy/pixel without a beam is of points: smoothed to a beam it is in Jy/beam.
/// Jy/beam data smoothed by a Gaussian or to a target beam are multiplied by Omega_new / Omega_old; K, Jy/sr by 1.
///   throws InputError where a beam, a sky geometry or a known unit is needed and missing, or the target is impossible
[[nodiscard]] ResolvedConvolution resolve_convolution(const ConvolveRequest& request, const ImageHeader& header,
                                                      const std::optional<Beam>& beam);

}  // namespace reber
