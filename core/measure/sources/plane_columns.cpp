// SPDX-License-Identifier: BSD-3-Clause
// Names, units and meanings of the columns of planes.
#include "core/measure/sources/plane_columns.hpp"

#include <fmt/format.h>

#include <iterator>
#include <limits>

namespace reber {

const std::vector<ColumnInfo>& plane_columns() {
  static const std::vector<ColumnInfo> columns{
      {"Plane", "", "meta.id;instr", "Plane of the cube, from 0; Source_id counts within it"},
      {"Frequency", "Hz", "em.freq", "Frequency of the plane; NaN where the header tells none"},
      {"Beam_Maj", "deg", "phys.angSize.smajAxis;instr.beam", "FWHM of the plane's beam, major axis"},
      {"Beam_Min", "deg", "phys.angSize.sminAxis;instr.beam", "FWHM of the plane's beam, minor axis"},
      {"Beam_PA", "deg", "pos.posAng;instr.beam", "Position angle of the plane's beam, north through east"},
  };
  return columns;
}

void add_plane_columns(const ImageHeader& header, const std::optional<Beam>& beam, Catalogue& catalogue) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  const auto rows = static_cast<std::size_t>(catalogue.rows());
  const std::vector<ColumnInfo>& infos = plane_columns();
  const double values[] = {header.wcs.frequency_hz(), beam ? beam->major_deg : kNaN, beam ? beam->minor_deg : kNaN,
                           beam ? beam->pa_deg : kNaN};
  std::vector<Column> own{{infos.front(), std::vector<std::int64_t>(rows, header.plane)}};
  for (std::size_t i = 1; i < infos.size(); ++i) own.push_back({infos[i], std::vector<double>(rows, values[i - 1])});
  catalogue.columns.insert(catalogue.columns.begin(), std::make_move_iterator(own.begin()),
                           std::make_move_iterator(own.end()));
}

std::string plane_columns_document() {
  return "\n## --planes\n\nBefore the others, where planes of a cube are joined.\n\n" + columns_table(plane_columns());
}

std::string columns_table(const std::vector<ColumnInfo>& columns) {
  std::string text = "| name | unit | UCD | what it is |\n|---|---|---|---|\n";
  for (const ColumnInfo& column : columns)
    text += fmt::format("| `{}` | {} | {} | {} |\n", column.name, column.unit, column.ucd, column.text);
  return text;
}

}  // namespace reber
