// SPDX-License-Identifier: BSD-3-Clause
// Widgets of the pipeline panel: headings of stages, and a widget per row of the table of parameters.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/run/request/parameters.hpp"
#include "gui/ui/shell.hpp"

namespace reber::gui {

/// Heading of a stage: its switch (a plain title where `on` is null), and the time it took at the right. True where the
/// switch was used.
bool stage_heading(Context& context, const Document& document, const char* title, const char* stage, bool* on);

/// A line that folds what follows away; true while it is open. Scripts call it `name`.
bool more(Context& context, const char* name);

/// What stands in a text field, which need not be a value yet, and what was wrong with the last value.
struct PipelineField {
  std::int64_t document = -1;
  std::string of;  ///< the value that it was made of
  std::string text, error;
};
/// By the names of parameters.
using PipelineFields = std::map<std::string, PipelineField>;

/// The widget of a row, by its look, with its tool tip. A value that is refused leaves the request as it was; the words
/// of the complaint stand below it until it is right. True where document.request changed.
bool edit_row(Context& context, Document& document, const Parameter& row, PipelineFields& fields);

}  // namespace reber::gui
