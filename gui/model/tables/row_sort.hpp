// SPDX-License-Identifier: BSD-3-Clause
// The order of the rows of one column.
#pragma once

#include <cstdint>
#include <vector>

#include "core/sky/model/catalogue.hpp"

namespace reber::gui {

/// Rows of the catalogue in ascending or descending order of one column; see SourceTable::sort().
[[nodiscard]] std::vector<std::uint32_t> sorted_rows(const Column& column, bool descending);

}  // namespace reber::gui
