// SPDX-License-Identifier: BSD-3-Clause
// The beam of an image whose header has none.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/seam/compute/backend.hpp"
#include "core/seam/compute/job.hpp"
#include "core/seam/compute/noise_correlation.hpp"
#include "core/sky/model/image_header.hpp"

namespace reber {

struct BeamEstimate {
  Beam beam;
  std::string from;  ///< what it was estimated from, in words
};

/// The shape that most of these have: squared FWHMs on the grid. The half-sample mode of the logarithms of the areas
/// (Bickel & Fruehwirth 2006), then the median shape of those within a tenth of it.   returns none for fewer than five
/// that agree
struct CommonShape {
  Covariance fwhm2;
  std::size_t members = 0;
};
[[nodiscard]] std::optional<CommonShape> common_shape(std::vector<Covariance> shapes);

/// The Gaussian whose curvature the autocorrelation has about 0, where it is above 0.4; the noise of an image has the
/// beam's autocorrelation roughly. None where neighbours do not go together.
[[nodiscard]] std::optional<Covariance> shape_of_noise(const NoiseCorrelation& noise);

/// From the fitted shapes of the brightest sources, above 15 sigma; where fewer than five agree, from the noise. None
/// where neither tells or the pixels have no size on the sky.
///   throws Cancelled, DeviceError
[[nodiscard]] std::optional<BeamEstimate> estimate_beam(Backend& backend, const Plane& plane, const ImageHeader& header,
                                                        const Job& job);

}  // namespace reber
