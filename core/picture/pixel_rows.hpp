// SPDX-License-Identifier: BSD-3-Clause
// Where a picture has its pixels from.
#pragma once

#include <cstdint>
#include <functional>

namespace reber {

/// Fills rows [y0, y0 + ny) of an image, without gaps. Called on one thread.
using PixelRows = std::function<void(std::int64_t y0, std::int64_t ny, float* out)>;

}  // namespace reber
