// SPDX-License-Identifier: BSD-3-Clause
// The readout of a place on the shown layer, for the status bar, the context menu and copying.
#pragma once

#include <optional>

#include "gui/model/image/readout.hpp"
#include "gui/model/state.hpp"

namespace reber::gui {

/// Where readouts look: the crosshair where there is one and the pointer is off the image, else the pointer.
[[nodiscard]] std::optional<PixelPosition> read_place(const ViewerState& state);
[[nodiscard]] Readout readout_of(const ViewerState& state, const Document& document, PixelPosition at);

}  // namespace reber::gui
