// SPDX-License-Identifier: BSD-3-Clause
// Marks whose size or colour follows a column, as they are drawn, and the legend that tells what they mean.
#pragma once

#include <string>
#include <vector>

#include "gui/model/tables/mark_look.hpp"
#include "gui/ui/overlay.hpp"

namespace reber::gui {

/// The marks of a catalogue's rows.
struct Marks {
  std::vector<EllipseMark> rows;  ///< empty where no column is followed
  MarkParts size, colour;         ///< what the legend tells; no rows
};
[[nodiscard]] Marks marks_of(const Catalogue& catalogue, const MarkLook& look);

/// The table whose rows are the sources drawn; null where it is of another result, and where no column is followed.
[[nodiscard]] const Catalogue* marked_table(const Document& document);

/// Where the first legend begins.
[[nodiscard]] double mark_legend_top(const CanvasView& canvas);
/// What sizes and colours mean, on a plate at the left edge of the first canvas; left out of small ones, and where
/// it would cover the beam.
///   y: where it begins, canvas points from the canvas's top   returns where the next one may begin
double draw_mark_legend(const CanvasView& canvas, Context& context, ImDrawList& list, const MarkLook& look,
                        const Marks& marks, const std::string& name, double y);

}  // namespace reber::gui
