// SPDX-License-Identifier: BSD-3-Clause
// What the pipeline panel shows of the table of parameters, without a window.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/run/request/parameters.hpp"

namespace reber::gui {

/// Rows of a section that the panel shows for this request, in the table's order.
///   more: those behind the line "More", else those before it
[[nodiscard]] std::vector<const Parameter*> panel_rows(const Request& request, Section section, bool more,
                                                       std::span<const Parameter> rows = parameters());

/// What scripts call the row's widget: "pipeline.detect.seed", and for short "pipeline.seed".
[[nodiscard]] std::vector<std::string> widget_names(const Parameter& row);

/// The label. The box of a mesh is a cell.
[[nodiscard]] std::string row_title(const Parameter& row, const Request& request);

/// The tool tip: what it means, in which range.
[[nodiscard]] std::string row_tip(const Parameter& row);

}  // namespace reber::gui
