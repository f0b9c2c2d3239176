// SPDX-License-Identifier: BSD-3-Clause
// Names, units and meanings of the columns of planes.
#include "core/sources/plane_columns.hpp"

#include <fmt/format.h>

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
