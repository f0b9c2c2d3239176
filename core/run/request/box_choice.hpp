// SPDX-License-Identifier: BSD-3-Clause
// Sizes of the boxes that background and noise are measured in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/run/request/request.hpp"
#include "core/sky/model/beam.hpp"
#include "core/sky/model/image_header.hpp"

namespace reber {

/// Fewest beams that a box chosen here has along a side: values of smaller ones scatter more than they follow.
inline constexpr double kLeastBoxBeams = 10;

/// So many beams in whole pixels, rounded up.
[[nodiscard]] std::int64_t whole_beams(double beams, double beam_px);

/// Sides of the boxes, and why.
struct BoxChoice {
  std::int64_t box = 0, step = 0;
  std::string reason;
};

/// What the user did not say is chosen: cells of 12 beams and at least 64 pixels, in a small image at most a quarter of
/// its shorter side, but never less than 10 beams; sliding boxes of twice that, which step by half their side. beam_px:
/// geometric mean FWHM; throws InputError for a step larger than the box
[[nodiscard]] BoxChoice choose_boxes(const BackgroundRequest& request, Shape image, std::optional<double> beam_px);

/// Geometric mean FWHM of the beam in pixels at the image's centre; empty where beam or sky is unknown.
[[nodiscard]] std::optional<double> beam_pixels(const ImageHeader& header, const std::optional<Beam>& beam);

}  // namespace reber
