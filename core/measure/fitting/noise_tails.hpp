// SPDX-License-Identifier: BSD-3-Clause
// Whether the noise has heavier tails than a Gaussian: negative peaks, of which the sky has none.
#pragma once

#include <cstdint>
#include <optional>

#include "core/seam/compute/backend.hpp"
#include "core/seam/compute/job.hpp"
#include "core/sky/model/image_header.hpp"

namespace reber {

struct NegativePeaks {
  std::int64_t found = 0;  ///< islands of the negative image
  double expected = 0;     ///< of Gaussian noise
};

/// Chance of `found` or more where `expected` are, by Poisson's distribution.   expected > 0
[[nodiscard]] double chance_of_more(std::int64_t found, double expected);

/// Most pixels of Gaussian noise above t rms: one is a peak at most, whatever the noise's correlation.
[[nodiscard]] double pixels_above(double pixels, double t);

/// The negative peaks above options.seed where Gaussian noise has so many in one image of a thousand at most, were its
/// rms 3 % above the one measured. Strips of a sixteenth of the rows, or of 67 million pixels, say first whether they
/// are worth counting; smaller images than a million pixels are counted at once. All backends agree.
///   options: of the positive image;   pixels: known ones   throws DeviceError, Cancelled
[[nodiscard]] std::optional<NegativePeaks> too_many_negative_peaks(Backend& backend, const Plane& plane,
                                                                   const BackgroundModel& background,
                                                                   const DetectOptions& options, double pixels,
                                                                   const Job& job);

/// Whether the plane shows a Stokes parameter that may be negative: Q, U, V or a product of two hands or feeds.
[[nodiscard]] bool may_be_negative(const ImageHeader& header);

}  // namespace reber
