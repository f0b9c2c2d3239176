// SPDX-License-Identifier: BSD-3-Clause
// Stage: brings the pixels to the backend.
#pragma once

#include <memory>

#include "core/pipeline/open_stage.hpp"

namespace reber {

struct ReadInputs {
  const Opened& opened;
  const TilingPlan& tiling;  ///< how the plane is kept; its values do not depend on it
};
/// throws DataError, DeviceError, Cancelled
[[nodiscard]] std::shared_ptr<const Plane> run_read(const ReadInputs& in, const Request& request, StageWork& work);

}  // namespace reber
