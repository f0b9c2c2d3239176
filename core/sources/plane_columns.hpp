// SPDX-License-Identifier: BSD-3-Clause
// The columns that tell of which plane of a cube a row is.
#pragma once

#include <string>
#include <vector>

#include "core/model/catalogue.hpp"

namespace reber {

/// Plane, Frequency, Beam_Maj, Beam_Min, Beam_PA: they stand before all others in a table of many planes.
[[nodiscard]] const std::vector<ColumnInfo>& plane_columns();

/// The part of docs/columns.md that tells of them.
[[nodiscard]] std::string plane_columns_document();

/// Columns as a Markdown table.
[[nodiscard]] std::string columns_table(const std::vector<ColumnInfo>& columns);

}  // namespace reber
