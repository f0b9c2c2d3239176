// SPDX-License-Identifier: BSD-3-Clause
// Names, units and meanings of the columns of planes.
#include "core/measure/sources/plane_columns.hpp"

#include <fmt/format.h>

#include <functional>
#include <iterator>
#include <limits>

#include "core/sky/model/column_row.hpp"
#include "core/sky/model/fits_cards.hpp"
#include "core/sky/model/stokes.hpp"

namespace reber {

namespace {

/// The plane that a row is of.
struct OfPlane {
  std::int64_t plane = 0;
  double frequency_hz = 0;
  Beam beam;
  std::string stokes;
};

/// Of the header's plane; empty where the image has no Stokes axis.
std::string stokes_of(const ImageHeader& header) {
  std::string text;
  for (const std::string& card : header.cards) text += card;
  const fits::CardTable cards(text);
  std::int64_t rest = header.plane;
  for (std::size_t i = 0; i < header.axes.size(); ++i) {
    if (static_cast<int>(i) == header.x_axis || static_cast<int>(i) == header.y_axis) continue;
    const std::int64_t position = rest % header.axes[i];
    rest /= header.axes[i];
    std::string word = stokes_at(cards, static_cast<int>(i), position);
    if (!word.empty()) return word;
  }
  return {};
}

const std::vector<ColumnRow<OfPlane>>& table() {
  static const std::vector<ColumnRow<OfPlane>> rows{
      {{"Plane", "", "meta.id;instr", "Plane of the cube, from 0; Source_id counts within it"}, &OfPlane::plane},
      {{"Frequency", "Hz", "em.freq", "Frequency of the plane; NaN where the header tells none"},
       &OfPlane::frequency_hz},
      {{"Beam_Maj", "deg", "phys.angSize.smajAxis;instr.beam", "FWHM of the plane's beam, major axis"},
       [](const OfPlane& p) -> double { return p.beam.major_deg; }},
      {{"Beam_Min", "deg", "phys.angSize.sminAxis;instr.beam", "FWHM of the plane's beam, minor axis"},
       [](const OfPlane& p) -> double { return p.beam.minor_deg; }},
      {{"Beam_PA", "deg", "pos.posAng;instr.beam", "Position angle of the plane's beam, north through east"},
       [](const OfPlane& p) -> double { return p.beam.pa_deg; }},
      {{"Stokes", "", "meta.code;phys.polarization.stokes",
        "I, Q, U, V, RR, LL, XX, YY and so on; only of images with a Stokes axis"},
       [](const OfPlane& p) { return p.stokes; }},
  };
  return rows;
}

}  // namespace

std::vector<ColumnInfo> plane_columns() { return infos_of<OfPlane>(table()); }

void add_plane_columns(const ImageHeader& header, const std::optional<Beam>& beam, Catalogue& catalogue) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  const OfPlane plane{header.plane, header.wcs.frequency_hz(), beam.value_or(Beam{kNaN, kNaN, kNaN}),
                      stokes_of(header)};
  const std::vector<OfPlane> of_each(static_cast<std::size_t>(catalogue.rows()), plane);
  std::vector<Column> own = columns_of<OfPlane>(table(), of_each, std::identity());
  if (plane.stokes.empty()) own.pop_back();
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
