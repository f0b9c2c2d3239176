// SPDX-License-Identifier: BSD-3-Clause
// Tiles of the card for OpenGL.
#pragma once

#include <memory>
#include <string>

#include "core/show/display/display_levels.hpp"

namespace reber::cuda {

/// The way to OpenGL on a card.
[[nodiscard]] std::shared_ptr<GraphicsLink> make_graphics_link(int device, const std::string& name);

}  // namespace reber::cuda
