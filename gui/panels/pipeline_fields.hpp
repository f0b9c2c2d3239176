// SPDX-License-Identifier: BSD-3-Clause
// Widgets of the pipeline panel: headings of stages, and the line that folds away what is asked for more rarely.
#pragma once

#include "gui/ui/fields.hpp"
#include "gui/ui/shell.hpp"

namespace reber::gui {

/// Heading of a stage: its switch (a plain title where `on` is null), and the time it took at the right. True where the
/// switch was used.
bool stage_heading(Context& context, const Document& document, const char* title, const char* stage, bool* on);

/// A line that folds what follows away; true while it is open. Scripts call it `name`.
bool more(Context& context, const char* name);

}  // namespace reber::gui
