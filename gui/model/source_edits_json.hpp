// SPDX-License-Identifier: BSD-3-Clause
// Marks of rows and fits by hand as JSON: for sessions and undo.
#pragma once

#include <vector>

#include "gui/model/json_object.hpp"
#include "gui/model/tables/source_edits.hpp"

namespace reber::gui {

[[nodiscard]] Json to_json(const std::vector<RowMark>& marks);
/// Marks without a place, or that say nothing, are passed over.   throws InputError that names the place in the file
[[nodiscard]] std::vector<RowMark> marks_from(const std::vector<JsonObject>& entries);

[[nodiscard]] Json to_json(const std::vector<HandFit>& fits);
/// Fits that cannot be are passed over.   throws InputError that names the place in the file
[[nodiscard]] std::vector<HandFit> fits_from(const std::vector<JsonObject>& entries);

}  // namespace reber::gui
