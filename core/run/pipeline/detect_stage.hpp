// SPDX-License-Identifier: BSD-3-Clause
// Stage: islands of pixels above the thresholds, of the image or of the negative image.
#pragma once

#include <memory>
#include <optional>

#include "core/measure/sources/known_pixels.hpp"
#include "core/run/pipeline/stage_work.hpp"
#include "core/run/request/request.hpp"
#include "core/sky/mask/searched_pixels.hpp"
#include "core/sky/model/beam_field.hpp"
#include "core/sky/model/image_header.hpp"

namespace reber {

/// The plane that sources are looked for in and measured on, with what is known of it.
struct MeasuredPlane {
  const Plane& plane;
  const BackgroundModel& background;
  const ImageHeader& header;
  const std::optional<Beam>& beam;  ///< of the plane
  BeamField beams{};                ///< the same, or how it varies
};

struct Detected {
  std::shared_ptr<const IslandMap> islands;
  DetectOptions options;                           ///< as used: a false discovery rate or a crowded field sets the seed
  std::shared_ptr<const KnownPixels> known;        ///< of the image
  std::vector<std::int64_t> waves;                 ///< best_wavelets() of the islands; empty without wavelets
  std::shared_ptr<const SearchedPixels> searched;  ///< null: everywhere
};

/// The options of the other image, looked for at the same thresholds.
[[nodiscard]] DetectOptions options_of_negative(const Detected& positive);

/// Islands of the image's S/N or, where scales are asked for, of the S/N of all of them. Sets the seed threshold where
/// a false discovery rate does, or a crowded field allows for a lower one, and the image is the positive one. Islands
/// come from the detection image where there is one, by its own background, and lie within the mask and the regions
/// that the search is restricted to.
///   tiling: for images that are read
///   throws InputError for scales that cannot be, DeviceError, Cancelled
[[nodiscard]] Detected run_detect(const MeasuredPlane& in, const TilingPlan& tiling, const DetectOptions& options,
                                  const Request& request, StageWork& work);

}  // namespace reber
