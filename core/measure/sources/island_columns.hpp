// SPDX-License-Identifier: BSD-3-Clause
// Tables with one row per island, as Selavy and Aegean write them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/measure/sources/source_list.hpp"
#include "core/sky/model/catalogue.hpp"

namespace reber {

/// casda: Selavy's islands (mJy, arcsec). aegean: Aegean's _isle (Jy, degrees).
enum class IslandTable { casda, aegean };

/// Columns in their order, one row per island. image: path that the rows' uuid is made of
[[nodiscard]] std::vector<Column> island_columns(IslandTable table, const SourceList& list, const ImageHeader& header,
                                                 const BeamField& beams, const std::string& image);
/// Names, units and meanings alone.
[[nodiscard]] std::vector<ColumnInfo> island_column_infos(IslandTable table);

/// A name-based UUID (RFC 9562, version 8): the same for the same image, island, row and place.
[[nodiscard]] std::string table_uuid(const std::string& image, std::int64_t island, std::int64_t row, double x,
                                     double y);

}  // namespace reber
