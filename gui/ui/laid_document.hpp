// SPDX-License-Identifier: BSD-3-Clause
// The other image of a comparison as it looks on the shown one's grid.
#pragma once

#include "gui/ui/shell.hpp"

namespace reber::gui {

/// The other image's layer on the grid and in the view of the shown one, with its limits, its beam, ellipses and
/// regions moved there; its islands and extended sources are left out. Null while the layer is being laid, and where
/// it cannot be.   There must be headers and needs_laying().
[[nodiscard]] Document* laid_document(Context& context, const Document& shown, const Document& other, LayerKind layer);

}  // namespace reber::gui
