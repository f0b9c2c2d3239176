// SPDX-License-Identifier: BSD-3-Clause
// Background and noise of a smooth plane, from as many of its pixels as can tell something.
#pragma once

#include <cstdint>

#include "core/run/request/request.hpp"
#include "core/seam/compute/backend.hpp"
#include "core/seam/compute/background.hpp"
#include "core/seam/compute/job.hpp"

namespace reber {

/// Every how manieth pixel of a smoothed plane tells what all of them do of background and noise: two per FWHM. The
/// square of the noise's autocorrelation has this FWHM or more; its sum over pixels n apart is its integral to better
/// than 4 exp(-2 pi^2 (FWHM / (2.355 n))^2) (Poisson's summation).   wide_px: FWHM of the beam after smoothing
[[nodiscard]] std::int64_t pixels_apart(double wide_px);

/// A model of every n-th pixel as one of the image's: nodes stand where they were measured, to half
/// a pixel, the last of an axis to n / 4.
[[nodiscard]] BackgroundModel of_whole(BackgroundModel model, std::int64_t n, Shape image);

/// As measure_background(), from every n-th pixel of every n-th row, or from more where a box would have fewer than 16
/// along its side. Boxes are those of the request in pixels of the plane; where these are less than ten beams of the
/// plane they are chosen as if none had been asked for.   throws as measure_background()
[[nodiscard]] BackgroundModel thinned_background(Backend& backend, const Plane& plane, const BackgroundRequest& request,
                                                 double beam_px, std::int64_t n, const Job& job);

}  // namespace reber
