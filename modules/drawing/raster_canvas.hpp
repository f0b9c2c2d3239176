// SPDX-License-Identifier: BSD-3-Clause
// A canvas of pixels: marks by OpenCV, letters by Cairo.
#pragma once

#include <memory>

#include "core/show/picture/canvas.hpp"

namespace reber::drawn {

[[nodiscard]] std::unique_ptr<Canvas> make_raster_canvas(int width, int height, Ink background);

}  // namespace reber::drawn
