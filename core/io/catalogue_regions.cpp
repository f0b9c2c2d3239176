// SPDX-License-Identifier: BSD-3-Clause
// Catalogues as DS9 regions.
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "core/io/atomic_file.hpp"
#include "core/io/catalogue_io.hpp"
#include "core/io/catalogue_writers.hpp"

namespace reber {
namespace {

/// DS9's word for the frame; empty where DS9 has none, so that pixels must do.
std::string system_of(const Catalogue& catalogue) {
  if (catalogue.frame == "ICRS") return "icrs";
  if (catalogue.frame == "FK5 J2000") return "fk5";
  if (catalogue.frame == "FK4 B1950") return "fk4";
  if (catalogue.frame == "Galactic") return "galactic";
  if (catalogue.frame == "Ecliptic") return "ecliptic";
  return {};
}

/// Text inside text={...}: braces and line ends would end it.
std::string label(const std::string& text) {
  std::string out = printable(text);
  for (char& c : out) {
    if (c == '{' || c == '}') c = '_';
  }
  return out;
}

std::string label_of(const Catalogue& catalogue, std::size_t row) {
  for (const char* name : {"Source_name", "Source_id"}) {
    const Column* const column = catalogue.find(name);
    if (column == nullptr) continue;
    if (const auto* texts = std::get_if<std::vector<std::string>>(&column->values)) return label((*texts)[row]);
    if (const auto* numbers = std::get_if<std::vector<std::int64_t>>(&column->values))
      return fmt::format("{}", (*numbers)[row]);
  }
  return fmt::format("{}", row);
}

double at(const std::vector<double>* values, std::size_t row) {
  return values != nullptr ? (*values)[row] : std::nan("");
}

/// One line for a source: an ellipse with the FWHMs as its diameters, a point where it has no shape. DS9 counts angles
/// from the x axis, position angles start at north: hence 90 degrees more. DS9's image pixels are 1-based.
std::string region(const PlaceColumns& place, const std::string& system, std::size_t row) {
  const double lon = at(place.lon, row), lat = at(place.lat, row);
  if (!system.empty() && std::isfinite(lon) && std::isfinite(lat)) {
    const double major = at(place.major, row), minor = at(place.minor, row), pa = at(place.pa, row);
    if (major > 0 && minor > 0 && std::isfinite(pa)) {
      return fmt::format("{}; ellipse({:.9f},{:.9f},{:.5f}\",{:.5f}\",{:.4f})", system, lon, lat, 1800 * major,
                         1800 * minor, pa + 90);
    }
    return fmt::format("{}; point({:.9f},{:.9f})", system, lon, lat);
  }
  const double x = at(place.x, row), y = at(place.y, row);
  if (std::isfinite(x) && std::isfinite(y)) return fmt::format("image; point({:.4f},{:.4f})", x + 1, y + 1);
  return {};
}

}  // namespace

void write_catalogue_regions(const Catalogue& catalogue, const std::string& path, bool overwrite) {
  AtomicFile file(path, overwrite);
  const PlaceColumns place = place_columns(catalogue);
  const std::string system = system_of(catalogue);
  std::string text = "# Region file format: DS9 version 4.1\n";
  for (const std::string& line : catalogue.history) text += "# " + printable(line) + "\n";
  text += "global color=green width=1 font=\"helvetica 10 normal roman\" select=1 edit=1 move=1 delete=1 source=1\n";
  for (std::size_t row = 0; row < static_cast<std::size_t>(catalogue.rows()); ++row) {
    const std::string line = region(place, system, row);
    if (!line.empty()) text += fmt::format("{} # text={{{}}}\n", line, label_of(catalogue, row));
  }
  file.write(text);
  file.commit(static_cast<std::int64_t>(text.size()));
}

}  // namespace reber
