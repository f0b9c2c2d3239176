// SPDX-License-Identifier: BSD-3-Clause
// The catalogue under the names, units and order of other tools' tables.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/words.hpp"
#include "core/model/beam.hpp"
#include "core/model/catalogue.hpp"
#include "core/sources/source.hpp"

namespace reber {

/// pybdsf: our own table, PyBDSF's names in degrees and Jy. aegean: Aegean's component table (sizes in arcsec, -1 for
/// an error that there is not). casda: the continuum components of Selavy and CASDA (arcsec, mJy, mJy/beam, MHz).
enum class ColumnSet { pybdsf, aegean, casda };
template <>
inline constexpr auto words<ColumnSet> = std::to_array<Word<ColumnSet>>({{"pybdsf", ColumnSet::pybdsf, "PyBDSF"},
                                                                         {"aegean", ColumnSet::aegean, "Aegean"},
                                                                         {"casda", ColumnSet::casda, "CASDA"}});

/// The rows of `catalogue`, which is make_catalogue's of `sources`, as that tool would name and scale them. A column
/// that is not measured is left out. Sizes are FWHM in all sets. Brightness that is not in Jy/beam keeps its unit.
[[nodiscard]] Catalogue in_columns(const Catalogue& catalogue, std::span<const Source> sources, ColumnSet set,
                                   const std::optional<Beam>& beam);

/// One column of a set: what it is called and the column of our own table that it is made of; empty where it has
/// none of its own.
struct SetColumn {
  ColumnInfo info;
  std::string from;
};
/// For the documentation and its test; pybdsf: our own table.
[[nodiscard]] std::vector<SetColumn> set_columns(ColumnSet set);

/// All sets as Markdown: docs/columns.md is this text.
[[nodiscard]] std::string columns_document();

/// "12:34:56.78" of a longitude in degrees, "-12:34:56.7" of a latitude; rounded, with carry.
[[nodiscard]] std::string sexagesimal_hours(double degrees, int decimals);
[[nodiscard]] std::string sexagesimal_degrees(double degrees, int decimals);

}  // namespace reber
