// SPDX-License-Identifier: BSD-3-Clause
// PyBDSF's own two tables, column by column: sources (srl) and Gaussians (gaul).
#pragma once

#include <optional>
#include <vector>

#include "core/measure/sources/source_list.hpp"
#include "core/sky/model/catalogue.hpp"

namespace reber {

/// Which of the two.
enum class PybdsfTable { srl, gaul };

/// Columns in PyBDSF's order, one row per source or Gaussian; ids count from 0. The `_img_plane` columns are on the
/// pixel grid: angles from +y towards -x, lengths times one pixel scale, that of the image's centre.
[[nodiscard]] std::vector<Column> pybdsf_columns(PybdsfTable table, const SourceList& list, const ImageHeader& header,
                                                 const BeamField& beams);
/// Names, units and meanings alone.
[[nodiscard]] std::vector<ColumnInfo> pybdsf_column_infos(PybdsfTable table);

}  // namespace reber
