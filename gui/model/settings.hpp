// SPDX-License-Identifier: BSD-3-Clause
// What the viewer remembers between two runs.
#pragma once

#include <string>

#include "gui/model/state.hpp"

namespace reber::gui {

/// $XDG_CONFIG_HOME/reber/viewer.json, or the same under ~/.config; empty without a home.
[[nodiscard]] std::string default_settings_path();

/// Nothing happens where the path is empty or there is no such file; what is wrong in it is passed over.
void load_settings(ViewerState& state, const std::string& path);
/// Recent files, open panels and overlays, theme, scale, mouse. Nothing where the path is empty.   throws DataError
void save_settings(const ViewerState& state, const std::string& path);

}  // namespace reber::gui
