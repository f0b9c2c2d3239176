// SPDX-License-Identifier: BSD-3-Clause
// Stage: background and noise of a plane. Size of the boxes, passes without the sources, smaller boxes near bright
// ones.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/compute/backend.hpp"
#include "core/compute/job.hpp"
#include "core/compute/tiling_plan.hpp"
#include "core/model/beam.hpp"
#include "core/model/image_header.hpp"
#include "core/pipeline/stage_work.hpp"
#include "core/request/request.hpp"

namespace reber {

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

struct MeasuredBackground {
  BackgroundModel model;
  std::string what;   ///< method and options in words
  std::string boxes;  ///< sides of the boxes and why; empty for the clip
  std::vector<std::string> warnings;
};

/// Background and noise of a plane by the request's method. The first pass sees all pixels and takes the mode of each
/// cell; each further pass leaves out the islands (5 sigma, down to 3) of the pass before, grown by half a beam, and
/// takes the median. Where the beam is known, the noise is raised around sources above 500 sigma (adaptive: 50) by what
/// their sidelobes add (ring_noise.hpp). A plane without a usable cell gives zero mean and rms, and a warning.
///   next: islands that will be looked for in this plane against this background; empty where others are, or none: no
///   result depends on it
[[nodiscard]] MeasuredBackground measure_background(Backend& backend, const Plane& plane,
                                                    const BackgroundRequest& request, std::optional<double> beam_px,
                                                    const Job& job, const std::optional<DetectOptions>& next = {});

/// Checks an rms map given by the user.   returns a warning where some of its pixels are blank or not positive: these
/// count as blank; empty where all are good; throws DataError where none is
[[nodiscard]] std::string check_rms_map(Backend& backend, const Plane& map, const std::string& path,
                                        const Job& job = {});

/// Islands that a request looks for in the image itself, against its measured background; empty where it looks for
/// others, or for none.
[[nodiscard]] std::optional<DetectOptions> labelled_next(const Request& request);

struct BackgroundInputs {
  const Plane& plane;
  const ImageHeader& header;
  const std::optional<Beam>& beam;  ///< of the plane
  const TilingPlan& tiling;         ///< for maps that are read
  bool first_walk = false;          ///< the plane is the image: where it was left in its file, nobody told its blanks
  std::optional<DetectOptions> next = {};  ///< as for measure_background()
};
/// Background and noise as measured, or from the maps that the user gave.
///   throws InputError, DataError for maps that do not fit; DeviceError, Cancelled
[[nodiscard]] BackgroundModel run_background(const BackgroundInputs& in, const BackgroundRequest& request,
                                             StageWork& work);

}  // namespace reber
