// SPDX-License-Identifier: BSD-3-Clause
// Stage: background and noise of a plane, measured or given.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/run/pipeline/stage_work.hpp"
#include "core/run/request/box_choice.hpp"
#include "core/run/request/request.hpp"
#include "core/seam/compute/backend.hpp"
#include "core/seam/compute/job.hpp"
#include "core/seam/compute/tiling_plan.hpp"
#include "core/sky/model/beam.hpp"
#include "core/sky/model/image_header.hpp"

namespace reber {

struct MeasuredBackground {
  BackgroundModel model;
  std::string what;   ///< method and options in words
  std::string boxes;  ///< sides of the boxes and why; empty for the clip
  std::vector<std::string> warnings;
  std::optional<BackgroundModel> even = {};  ///< the model before nodes about compact sources were added; if they were
};

/// Background and noise of a plane by the request's method: passes over a table of terms (background_terms.hpp). Where
/// the beam is known, sources above 500 sigma (adaptive: 50) raise the noise about them by their sidelobes. A plane
/// without a usable cell gives zero mean and rms, and a warning.
///   next: islands that will be looked for in this plane against this background; empty where others are, or none: no
///   result depends on it;   levels: whether those under compact sources are looked for
[[nodiscard]] MeasuredBackground measure_background(Backend& backend, const Plane& plane,
                                                    const BackgroundRequest& request, std::optional<double> beam_px,
                                                    const Job& job, const std::optional<DetectOptions>& next = {},
                                                    bool levels = false);

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
