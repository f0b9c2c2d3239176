// SPDX-License-Identifier: BSD-3-Clause
// The parameters of a run as JSON, for the session file and the history of undo.
#pragma once

#include "core/pipeline/request.hpp"
#include "gui/model/json_object.hpp"

namespace reber::gui {

/// Everything that decides a run's numbers. Files to write are not part of it.
[[nodiscard]] Json to_json(const Request& request);

/// Lays the parameters over `request`; stages that the object does not name are switched off.
///   throws InputError as JsonObject, and as parse_kernel
void apply_json(const JsonObject& object, Request& request);

}  // namespace reber::gui
