// SPDX-License-Identifier: BSD-3-Clause
// The viewer's state as JSON, for scripts and tests.
#pragma once

#include <string>

#include "gui/model/state.hpp"

namespace reber::gui {

/// One object: active, mode, compare, cursor, panels, overlays, notice and documents with layer, view, render settings,
/// request, result and selection. Numbers as numbers; NaN as null.
[[nodiscard]] std::string state_json(const ViewerState& state);

/// Value at a path of names and numbers with points between ("documents.0.view.zoom") as JSON text; empty where there
/// is none. An array's or object's size is at "length".
[[nodiscard]] std::string json_at(const std::string& document, const std::string& path);

}  // namespace reber::gui
