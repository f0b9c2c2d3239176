// SPDX-License-Identifier: BSD-3-Clause
// Looks of marks as JSON: for sessions.
#pragma once

#include "gui/model/json_object.hpp"
#include "gui/model/tables/mark_look.hpp"

namespace reber::gui {

[[nodiscard]] Json to_json(const MarkLook& look);
/// What cannot be is as usual.   throws InputError that names the place in the file
[[nodiscard]] MarkLook mark_look_from(const JsonObject& object);

}  // namespace reber::gui
