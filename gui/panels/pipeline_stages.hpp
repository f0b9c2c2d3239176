// SPDX-License-Identifier: BSD-3-Clause
// Parameters of each stage of the pipeline, as the panel edits them.
#pragma once

#include "gui/ui/shell.hpp"

namespace reber::gui {

/// Each draws the stage's heading (its switch, and the time of the last run) and its parameters; what is asked for more
/// rarely stands behind a line "More". True where document.request changed.
bool edit_convolution(Context& context, Document& document);
bool edit_background(Context& context, Document& document);
bool edit_detection(Context& context, Document& document);
/// Deblending, measuring, calibration: what is made of the islands.
bool edit_measurement(Context& context, Document& document);

}  // namespace reber::gui
