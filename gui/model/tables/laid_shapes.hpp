// SPDX-License-Identifier: BSD-3-Clause
// Ellipses of one image in the pixels of another.
#pragma once

#include <vector>

#include "gui/model/sky/sky_lock.hpp"
#include "gui/model/tables/source_shapes.hpp"

namespace reber::gui {

/// In place of an ellipse that is not to be seen: far outside any image.
inline constexpr SourceShape kNoShape{-1e7, -1e7, {1, 0, 1}};

/// Row by row: centres are exact, axes by the affine map about them. kNoShape off the other's sky, and for places that
/// are not finite.
[[nodiscard]] std::vector<SourceShape> laid_shapes(const SkyLock& lock, const std::vector<SourceShape>& shapes);

}  // namespace reber::gui
