// SPDX-License-Identifier: BSD-3-Clause
// Catalogues as regions: DS9, CASA (CRTF) and Karma annotations (kvis). One polygon per source
// that has an outline, else an ellipse whose diameters are the FWHMs, a point where it has no shape. All three take
// semi-axes; they differ in where an angle starts.
#include <fmt/format.h>

#include <cmath>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "core/base/printable.hpp"
#include "core/catalogue/catalogue_writers.hpp"
#include "core/catalogue/row_text.hpp"
#include "core/io/atomic_file.hpp"

namespace reber {
namespace {

constexpr double kSemiArcsec = 1800;  ///< half of 3600: FWHM in degrees to a semi-axis in arcsec

/// Where one source lies, for the format to spell.
struct Place {
  double lon, lat, x, y, major, minor, pa;
  std::vector<double> outline;  ///< longitude and latitude of each corner, degrees; empty: the ellipse
  [[nodiscard]] bool has_sky() const { return std::isfinite(lon) && std::isfinite(lat); }
  [[nodiscard]] bool has_pixel() const { return std::isfinite(x) && std::isfinite(y); }
  [[nodiscard]] bool has_shape() const { return major > 0 && minor > 0 && std::isfinite(pa); }
};

double at(const std::vector<double>* values, std::size_t row) {
  return values != nullptr ? (*values)[row] : std::nan("");
}

/// Text inside quotes or braces: what would end it becomes _.
std::string label(const std::string& text, const char* not_allowed) {
  std::string out = printable(text);
  for (char& c : out) {
    if (std::string(not_allowed).find(c) != std::string::npos) c = '_';
  }
  return out;
}

/// The numbers of "POLYGON ICRS lon lat lon lat ...".
std::vector<double> corners_of(const std::string& region) {
  std::istringstream words(region);
  std::string kind, frame;
  std::vector<double> corners;
  if (!(words >> kind >> frame) || kind != "POLYGON") return corners;
  for (double value = 0; words >> value;) corners.push_back(value);
  return corners;
}

std::string label_of(const Catalogue& catalogue, std::size_t row, const char* not_allowed) {
  for (const char* name : {"Source_name", "Source_id"}) {
    const Column* const column = catalogue.find(name);
    if (column == nullptr) continue;
    if (const auto* texts = std::get_if<std::vector<std::string>>(&column->values))
      return label((*texts)[row], not_allowed);
    if (const auto* numbers = std::get_if<std::vector<std::int64_t>>(&column->values))
      return fmt::format("{}", (*numbers)[row]);
  }
  return fmt::format("{}", row);
}

/// What a format writes: lines before the sources, and one or two a source.
struct RegionFormat {
  std::string head;         ///< before the history, line end included
  std::string after;        ///< after the history
  const char* not_allowed;  ///< in a label
  std::string (*region)(const Place& place, const std::string& system, const std::string& name);
};

void write_regions(const Catalogue& catalogue, const RegionFormat& format, const std::string& system,
                   const std::string& path, const FileOptions& how) {
  AtomicFile file(path, how);
  const PlaceColumns columns = place_columns(catalogue);
  const Column* const regions = catalogue.find("s_region");
  const auto* const outlines = regions != nullptr ? std::get_if<std::vector<std::string>>(&regions->values) : nullptr;
  std::string text = format.head;
  for (const std::string& line : catalogue.history) text += "# " + printable(line) + "\n";
  text += format.after;
  const auto region_of = [&](std::size_t row) {
    const Place place{
        at(columns.lon, row),   at(columns.lat, row),
        at(columns.x, row),     at(columns.y, row),
        at(columns.major, row), at(columns.minor, row),
        at(columns.pa, row),    outlines != nullptr ? corners_of((*outlines)[row]) : std::vector<double>{}};
    return format.region(place, system, label_of(catalogue, row, format.not_allowed));
  };
  RowText rows(file);
  rows.write(text);
  rows.write_rows(catalogue.rows(), [&](std::int64_t first, std::int64_t last) {
    RowText::Text lines;
    for (std::int64_t row = first; row < last; ++row) lines.append(region_of(static_cast<std::size_t>(row)));
    return lines;
  });
  file.commit(rows.written());
}

/// One of three words for the frame; empty where the format has none, so that pixels must do.
struct FrameWords {
  const char *icrs, *fk5, *fk4, *galactic, *ecliptic;
};
std::string word_for(const Catalogue& catalogue, const FrameWords& words) {
  if (catalogue.frame == "ICRS") return words.icrs;
  if (catalogue.frame == "FK5 J2000") return words.fk5;
  if (catalogue.frame == "FK4 B1950") return words.fk4;
  if (catalogue.frame == "Galactic") return words.galactic;
  if (catalogue.frame == "Ecliptic") return words.ecliptic;
  return {};
}

/// DS9 counts angles from the axis of longitude, position angles start at north: hence 90 degrees more. Its image
/// pixels are 1-based.
std::string ds9(const Place& place, const std::string& system, const std::string& name) {
  std::string shape;
  if (!system.empty() && !place.outline.empty()) {
    for (const double value : place.outline) shape += fmt::format("{}{:.7f}", shape.empty() ? "" : ",", value);
    shape = fmt::format("{}; polygon({})", system, shape);
  } else if (!system.empty() && place.has_sky()) {
    shape = place.has_shape()
                ? fmt::format("{}; ellipse({:.9f},{:.9f},{:.5f}\",{:.5f}\",{:.4f})", system, place.lon, place.lat,
                              kSemiArcsec * place.major, kSemiArcsec * place.minor, place.pa + 90)
                : fmt::format("{}; point({:.9f},{:.9f})", system, place.lon, place.lat);
  } else if (place.has_pixel()) {
    shape = fmt::format("image; point({:.4f},{:.4f})", place.x + 1, place.y + 1);
  }
  return shape.empty() ? shape : fmt::format("{} # text={{{}}}\n", shape, name);
}

/// CASA's ellipse: [major, minor] semi-axes and the position angle itself, north through east. Pixels are 0-based.
std::string crtf(const Place& place, const std::string& system, const std::string& name) {
  std::string shape;
  if (!system.empty() && !place.outline.empty()) {
    for (std::size_t i = 0; i + 1 < place.outline.size(); i += 2)
      shape += fmt::format("{}[{:.7f}deg, {:.7f}deg]", i == 0 ? "" : ", ", place.outline[i], place.outline[i + 1]);
    shape = fmt::format("poly [{}] coord={}", shape, system);
  } else if (!system.empty() && place.has_sky()) {
    shape =
        place.has_shape()
            ? fmt::format("ellipse [[{:.9f}deg, {:.9f}deg], [{:.5f}arcsec, {:.5f}arcsec], {:.4f}deg] coord={}",
                          place.lon, place.lat, kSemiArcsec * place.major, kSemiArcsec * place.minor, place.pa, system)
            : fmt::format("symbol [[{:.9f}deg, {:.9f}deg], +] coord={}", place.lon, place.lat, system);
  } else if (place.has_pixel()) {
    shape = fmt::format("symbol [[{:.4f}pix, {:.4f}pix], +]", place.x, place.y);
  }
  return shape.empty() ? shape : fmt::format("{}, label='{}'\n", shape, name);
}

/// PA SKY in the head: angles from north through east. Sizes in degrees; pixels are 0-based.
std::string karma(const Place& place, const std::string& system, const std::string& name) {
  if (!system.empty() && place.has_sky()) {
    const std::string shape = place.has_shape()
                                  ? fmt::format("ELLIPSE W {:.9f} {:.9f} {:.9f} {:.9f} {:.4f}\n", place.lon, place.lat,
                                                place.major / 2, place.minor / 2, place.pa)
                                  : fmt::format("CROSS W {:.9f} {:.9f} 0.002 0.002\n", place.lon, place.lat);
    return shape + fmt::format("TEXT W {:.9f} {:.9f} {}\n", place.lon, place.lat, name);
  }
  if (!place.has_pixel()) return {};
  return fmt::format("CROSS P {0:.4f} {1:.4f} 3 3\nTEXT P {0:.4f} {1:.4f} {2}\n", place.x, place.y, name);
}

}  // namespace

void write_catalogue_regions(const Catalogue& catalogue, const std::string& path, const FileOptions& how) {
  const RegionFormat format{"# Region file format: DS9 version 4.1\n",
                            "global color=green width=1 font=\"helvetica 10 normal roman\" select=1 edit=1 move=1 "
                            "delete=1 source=1\n",
                            "{}", ds9};
  write_regions(catalogue, format, word_for(catalogue, {"icrs", "fk5", "fk4", "galactic", "ecliptic"}), path, how);
}

void write_catalogue_crtf(const Catalogue& catalogue, const std::string& path, const FileOptions& how) {
  const RegionFormat format{"#CRTFv0 CASA Region Text Format version 0\n", "", "'\"[]", crtf};
  write_regions(catalogue, format, word_for(catalogue, {"ICRS", "J2000", "B1950", "GALACTIC", "ECLIPTIC"}), path, how);
}

void write_catalogue_karma(const Catalogue& catalogue, const std::string& path, const FileOptions& how) {
  const RegionFormat format{"# Karma annotation file\n", "COLOR GREEN\nCOORD W\nPA SKY\nFONT hershey12\n", "#\\",
                            karma};
  // World coordinates are those of the image, whatever its frame.
  write_regions(catalogue, format, catalogue.frame, path, how);
}

}  // namespace reber
