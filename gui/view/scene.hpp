// SPDX-License-Identifier: BSD-3-Clause
// What the image renderer is told to draw of a document.
#pragma once

#include "gui/render/image_renderer.hpp"
#include "gui/ui/shell.hpp"

namespace reber::gui {

/// A layer as the transform has it, on a target of `ratio` pixels per canvas point. The layer has pixels.
[[nodiscard]] ImageScene scene_of(const ViewerState& state, const Document& document, LayerKind layer,
                                  const CanvasTransform& transform, double ratio);

/// Where differences or ratios are looked at: puts the other layer's pixels, on the same grid, into the scene.
void compare_with_other(Context& context, ImageScene& scene, const Document& document);

}  // namespace reber::gui
