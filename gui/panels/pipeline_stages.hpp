// SPDX-License-Identifier: BSD-3-Clause
// Parameters of each stage of the pipeline, as the panel edits them.
#pragma once

#include <map>
#include <string>

#include "gui/panels/pipeline_fields.hpp"
#include "gui/ui/shell.hpp"

namespace reber::gui {

/// The panel's text fields, by name.
using TextFields = std::map<std::string, TextField>;

/// Each draws the stage's heading (its switch, and the time of the last run) and its parameters; what is asked for more
/// rarely stands behind a line "More". True where document.request changed.
bool edit_convolution(Context& context, Document& document, TextFields& fields);
bool edit_background(Context& context, Document& document, TextFields& fields);
bool edit_detection(Context& context, Document& document, TextFields& fields);
/// Deblending, measuring, calibration: what is made of the islands.
bool edit_measurement(Context& context, Document& document, TextFields& fields);

}  // namespace reber::gui
