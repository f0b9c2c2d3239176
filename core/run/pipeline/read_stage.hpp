// SPDX-License-Identifier: BSD-3-Clause
// Stage: brings the pixels to the backend.
#pragma once

#include <memory>
#include <string>

#include "core/run/pipeline/open_stage.hpp"

namespace reber {

struct ReadInputs {
  const Opened& opened;
  const TilingPlan& tiling;  ///< how the plane is kept; its values do not depend on it
};
/// throws DataError, DeviceError, Cancelled
[[nodiscard]] std::shared_ptr<const Plane> run_read(const ReadInputs& in, const Request& request, StageWork& work);

/// Another image of the run's size: a map, or one to detect on.   factor: its values are multiplied with it
///   throws as run_read
[[nodiscard]] std::unique_ptr<Plane> load_or_stream(const ImagePlane& file, const TilingPlan& tiling, StageWork& work,
                                                    double factor = 1);

/// Facts and warnings of pixels that are not finite. Of a plane that is left in its file, the first stage that walks
/// over it tells them.
void tell_blanks(const Plane& plane, const std::string& image, StageWork& work);

}  // namespace reber
