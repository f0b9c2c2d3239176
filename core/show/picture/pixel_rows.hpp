// SPDX-License-Identifier: BSD-3-Clause
// Where a picture has its pixels from.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace reber {

/// Fills rows [y0, y0 + ny) of an image, without gaps. Called on one thread.
using PixelRows = std::function<void(std::int64_t y0, std::int64_t ny, float* out)>;

/// The image reduced: the largest finite pixel of each block x block pixels, as Backend::block_peaks says; empty where
/// the rows are to be reduced. Called on one thread.
using PixelPeaks = std::function<std::optional<std::vector<float>>(std::int64_t block)>;

}  // namespace reber
