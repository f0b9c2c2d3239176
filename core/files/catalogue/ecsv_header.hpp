// SPDX-License-Identifier: BSD-3-Clause
// The header of Enhanced Character-Separated Values: YAML in the comments before a table.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/sky/model/catalogue.hpp"

namespace reber {

struct EcsvHeader {
  char delimiter = ' ';
  std::vector<ColumnInfo> columns;
  std::vector<bool> texts;  ///< of each column whether its cells are text
};

/// What the comments say of the columns: names, units, descriptions, types, UCDs. Entries may be flow mappings, as
/// astropy writes plain columns, or blocks. Empty where the first comment is not "%ECSV ...".
///   comments: without '#'
[[nodiscard]] std::optional<EcsvHeader> read_ecsv_header(const std::vector<std::string_view>& comments);

}  // namespace reber
