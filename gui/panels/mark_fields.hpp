// SPDX-License-Identifier: BSD-3-Clause
// The fields that choose which columns the marks of a catalogue follow.
#pragma once

#include <string>

#include "gui/model/tables/mark_look.hpp"
#include "gui/ui/shell.hpp"

namespace reber::gui {

/// name: of the widgets: "marks" has "marks.size", "marks.colour.scaling" ...
void draw_mark_fields(Context& context, const std::string& name, MarkLook& look, const Catalogue& catalogue);

}  // namespace reber::gui
