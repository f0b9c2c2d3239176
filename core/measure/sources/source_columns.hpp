// SPDX-License-Identifier: BSD-3-Clause
// The one table of catalogue columns: what each is called, its unit, UCD and meaning, and where it comes from.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/measure/sources/source.hpp"
#include "core/sky/model/catalogue.hpp"

namespace reber {

/// The catalogue of these sources: the one table of columns.
[[nodiscard]] Catalogue make_catalogue(const std::vector<Source>& sources, const ImageHeader& header,
                                       const std::vector<std::string>& history);

/// Names and units for the image at hand: RA and DEC are called that only in equatorial frames, and "Jy/beam" stands
/// for the image's own unit.
[[nodiscard]] ColumnInfo in_frame_of(ColumnInfo info, const ImageHeader& header);

/// A bit of the column Flag in words.
struct FlagWord {
  std::int64_t bit;
  std::string_view words;
};
[[nodiscard]] std::span<const FlagWord> flag_words();

/// Name, unit and meaning of each column, for the documentation.
[[nodiscard]] std::vector<ColumnInfo> catalogue_columns();

}  // namespace reber
