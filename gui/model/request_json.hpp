// SPDX-License-Identifier: BSD-3-Clause
// The parameters of a run as JSON, for the session file and the history of undo.
#pragma once

#include <span>

#include "core/run/request/parameters.hpp"
#include "gui/model/json_object.hpp"

namespace reber::gui {

/// Everything that decides a run's numbers, the user's beam and all rows of stages that are on. Files to write are not
/// part of it.
[[nodiscard]] Json to_json(const Request& request, std::span<const Parameter> rows = parameters());

/// Lays the parameters over `request`; stages that the object does not name are switched off.
///   throws InputError as JsonObject, as parse_kernel, and where a value is out of range; `request` is unchanged then
void apply_json(const JsonObject& object, Request& request, std::span<const Parameter> rows = parameters());

}  // namespace reber::gui
