// SPDX-License-Identifier: BSD-3-Clause
// The catalogue under the names, units and order of other tools' tables.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/words.hpp"
#include "core/measure/sources/source_list.hpp"
#include "core/sky/model/beam_field.hpp"
#include "core/sky/model/catalogue.hpp"
#include "core/sky/model/sexagesimal.hpp"

namespace reber {

/// pybdsf: our own table, PyBDSF's names in degrees and Jy. srl, gaul: PyBDSF's own tables of sources and of Gaussians.
/// aegean: Aegean's component table (sizes in arcsec, -1 for an error that there is not). casda: the continuum
/// components of Selavy and CASDA (arcsec, mJy, mJy/beam, MHz), with all that VAST reads. The last two: one row per
/// island.
enum class ColumnSet { pybdsf, srl, gaul, aegean, casda, aegean_isle, casda_islands };
template <>
inline constexpr auto words<ColumnSet> =
    std::to_array<Word<ColumnSet>>({{"pybdsf", ColumnSet::pybdsf, "PyBDSF"},
                                    {"srl", ColumnSet::srl, "PyBDSF sources"},
                                    {"gaul", ColumnSet::gaul, "PyBDSF Gaussians"},
                                    {"aegean", ColumnSet::aegean, "Aegean"},
                                    {"casda", ColumnSet::casda, "CASDA"},
                                    {"aegean-isle", ColumnSet::aegean_isle, "Aegean islands"},
                                    {"casda-islands", ColumnSet::casda_islands, "CASDA islands"}});

/// What the rows of a set are made of, beside our own table.
struct ListedSources {
  const SourceList& list;
  const ImageHeader& header;
};

/// The rows of `catalogue`, which is make_catalogue's of `sources`, as that tool would name and scale them. A column
/// that is not measured is left out. Sizes are FWHM in all sets. Brightness that is not in Jy/beam keeps its unit.
///   listed: of the same sources; srl, gaul and tables of islands need it (else InternalError), the others take the
///   residuals from it
[[nodiscard]] Catalogue in_columns(const Catalogue& catalogue, std::span<const Source> sources, ColumnSet set,
                                   const BeamField& beams, const ListedSources* listed = nullptr);

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

}  // namespace reber
