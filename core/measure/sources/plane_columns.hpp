// SPDX-License-Identifier: BSD-3-Clause
// The columns that tell of which plane of a cube a row is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/sky/model/beam.hpp"
#include "core/sky/model/catalogue.hpp"
#include "core/sky/model/image_header.hpp"

namespace reber {

/// Plane, Frequency, Beam_Maj, Beam_Min, Beam_PA, and Stokes of images with such an axis: they stand before all others
/// in a table of many planes.
[[nodiscard]] std::vector<ColumnInfo> plane_columns();

/// Puts them before the columns of one plane's catalogue.   header: of the plane   beam: of its pixels, in place of the
/// header's; without one the beam's columns are NaN
void add_plane_columns(const ImageHeader& header, const std::optional<Beam>& beam, Catalogue& catalogue);

/// The part of docs/columns.md that tells of them.
[[nodiscard]] std::string plane_columns_document();

/// Columns as a Markdown table.
[[nodiscard]] std::string columns_table(const std::vector<ColumnInfo>& columns);

}  // namespace reber
