// SPDX-License-Identifier: BSD-3-Clause
// Coverage maps (MOC) read: FITS tables, and the forms of text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/progress.hpp"

namespace reber {

/// Orders of a coverage map's cells: 0 to this.
inline constexpr int kDeepestOrder = 29;

/// Cells first, first + 1, ... end - 1 of the deepest order, NESTED.
struct CellRange {
  std::int64_t first = 0, end = 0;
  bool operator==(const CellRange&) const = default;
};

/// The sky that a map covers, in ICRS: ranges in ascending order that do not touch each other.
using SkyRanges = std::vector<CellRange>;

/// Whether this is a map itself and no file's name: cells as "3/1-4 6 5/", or JSON as {"3": [1, 2]}.
[[nodiscard]] bool is_moc_text(std::string_view text);

/// A map of MOC 1 or 2 (IVOA): a FITS table of ORDERING NUNIQ or RANGE, a file of text in one of the two forms, or such
/// text itself where no file has that name. Cells may overlap; a map may be empty.
///   throws DataError for a file that cannot be read or is no such map of the sky in ICRS, InputError for text that is
///   none; Cancelled
[[nodiscard]] SkyRanges read_moc(const std::string& file_or_text, const Progress& progress = {});

}  // namespace reber
