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
#include "core/files/catalogue/catalogue_writers.hpp"
#include "core/files/catalogue/row_text.hpp"
#include "core/files/io/atomic_file.hpp"
#include "core/sky/model/decimals.hpp"
#include "core/sky/model/sky_frames.hpp"

namespace reber {
namespace {

constexpr double kSemiArcsec = 1800;  ///< half of 3600: FWHM in degrees to a semi-axis in arcsec

/// Where one source lies, for the format to spell.
struct Place {
  double lon, lat, x, y, major, minor, pa;
  std::vector<std::string> outline;  ///< longitude and latitude of each corner, degrees; empty: the ellipse
  [[nodiscard]] bool has_sky() const { return std::isfinite(lon) && std::isfinite(lat); }
  [[nodiscard]] bool has_pixel() const { return std::isfinite(x) && std::isfinite(y); }
  [[nodiscard]] bool has_shape() const { return major > 0 && minor > 0 && std::isfinite(pa); }
  /// With the decimals that a hundredth of the source needs.
  [[nodiscard]] std::string degrees(double value) const {
    return fmt::format("{:.{}f}", value, decimals_for(minor / 100, 9));
  }
  [[nodiscard]] std::string semi_arcsec(double fwhm) const {
    return fmt::format("{:.{}f}", kSemiArcsec * fwhm, decimals_for(minor * 36, 5));
  }
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
std::vector<std::string> corners_of(const std::string& region) {
  std::istringstream words(region);
  std::string kind, frame;
  std::vector<std::string> corners;
  if (!(words >> kind >> frame) || kind != "POLYGON") return corners;
  for (std::string value; words >> value;) corners.push_back(value);
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
                   const SkyConverter& convert, const std::string& path, const FileOptions& how) {
  AtomicFile file(path, how);
  const PlaceColumns columns = place_columns(catalogue);
  const Column* const regions = catalogue.find("s_region");
  const auto* const outlines = regions != nullptr ? std::get_if<std::vector<std::string>>(&regions->values) : nullptr;
  std::string text = format.head;
  for (const std::string& line : catalogue.history) text += "# " + printable(line) + "\n";
  text += format.after;
  const auto region_of = [&](std::size_t row) {
    Place place{
        at(columns.lon, row),   at(columns.lat, row),
        at(columns.x, row),     at(columns.y, row),
        at(columns.major, row), at(columns.minor, row),
        at(columns.pa, row),    outlines != nullptr ? corners_of((*outlines)[row]) : std::vector<std::string>{}};
    const SkyPosition sky{place.lon, place.lat}, turned = convert(sky);
    if (place.has_sky()) place.pa += convert.turn_deg(sky);
    place.lon = turned.lon_deg, place.lat = turned.lat_deg;
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

/// A format's words for the frames at their usual equinox.
struct FrameWords {
  const char *icrs, *fk5, *fk4, *galactic, *ecliptic;
};

/// The frame as it is written, and how positions get there: ICRS where the format has no word for their own. An empty
/// word, so that pixels must do, where their frame is not known.
struct WrittenFrame {
  std::string word;
  SkyConverter convert;
};
WrittenFrame written_frame(const Catalogue& catalogue, const FrameWords& words) {
  const auto own = system_named(catalogue.frame, catalogue.equinox);
  if (!own) return {};
  using Frame = SkySystem::Frame;
  if (*own == SkySystem{Frame::icrs, 2000}) return {words.icrs, {}};
  if (*own == SkySystem{Frame::fk5, 2000}) return {words.fk5, {}};
  if (*own == SkySystem{Frame::fk4, 1950}) return {words.fk4, {}};
  if (*own == SkySystem{Frame::galactic, 2000}) return {words.galactic, {}};
  if (*own == SkySystem{Frame::ecliptic, 2000}) return {words.ecliptic, {}};
  return {words.icrs, SkyConverter(*own, SkySystem{})};
}

/// DS9 counts angles from the axis of longitude, position angles start at north: hence 90 degrees more. Its image
/// pixels are 1-based.
std::string ds9(const Place& place, const std::string& system, const std::string& name) {
  std::string shape;
  const std::string lon = place.degrees(place.lon), lat = place.degrees(place.lat);
  if (!system.empty() && !place.outline.empty()) {
    for (const std::string& value : place.outline) shape += fmt::format("{}{}", shape.empty() ? "" : ",", value);
    shape = fmt::format("{}; polygon({})", system, shape);
  } else if (!system.empty() && place.has_sky()) {
    shape = place.has_shape()
                ? fmt::format("{}; ellipse({},{},{}\",{}\",{:.4f})", system, lon, lat, place.semi_arcsec(place.major),
                              place.semi_arcsec(place.minor), place.pa + 90)
                : fmt::format("{}; point({},{})", system, lon, lat);
  } else if (place.has_pixel()) {
    shape = fmt::format("image; point({:.4f},{:.4f})", place.x + 1, place.y + 1);
  }
  return shape.empty() ? shape : fmt::format("{} # text={{{}}}\n", shape, name);
}

/// CASA's ellipse: [major, minor] semi-axes and the position angle itself, north through east. Pixels are 0-based.
std::string crtf(const Place& place, const std::string& system, const std::string& name) {
  std::string shape;
  const std::string lon = place.degrees(place.lon), lat = place.degrees(place.lat);
  if (!system.empty() && !place.outline.empty()) {
    for (std::size_t i = 0; i + 1 < place.outline.size(); i += 2)
      shape += fmt::format("{}[{}deg, {}deg]", i == 0 ? "" : ", ", place.outline[i], place.outline[i + 1]);
    shape = fmt::format("poly [{}] coord={}", shape, system);
  } else if (!system.empty() && place.has_sky()) {
    shape = place.has_shape()
                ? fmt::format("ellipse [[{}deg, {}deg], [{}arcsec, {}arcsec], {:.4f}deg] coord={}", lon, lat,
                              place.semi_arcsec(place.major), place.semi_arcsec(place.minor), place.pa, system)
                : fmt::format("symbol [[{}deg, {}deg], +] coord={}", lon, lat, system);
  } else if (place.has_pixel()) {
    shape = fmt::format("symbol [[{:.4f}pix, {:.4f}pix], +]", place.x, place.y);
  }
  return shape.empty() ? shape : fmt::format("{}, label='{}'\n", shape, name);
}

/// PA SKY in the head: angles from north through east. Sizes in degrees; pixels are 0-based.
std::string karma(const Place& place, const std::string& system, const std::string& name) {
  if (!system.empty() && place.has_sky()) {
    const std::string lon = place.degrees(place.lon), lat = place.degrees(place.lat);
    const std::string shape =
        place.has_shape() ? fmt::format("ELLIPSE W {} {} {} {} {:.4f}\n", lon, lat, place.degrees(place.major / 2),
                                        place.degrees(place.minor / 2), place.pa)
                          : fmt::format("CROSS W {} {} 0.002 0.002\n", lon, lat);
    return shape + fmt::format("TEXT W {} {} {}\n", lon, lat, name);
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
  const auto [word, convert] = written_frame(catalogue, {"icrs", "fk5", "fk4", "galactic", "ecliptic"});
  write_regions(catalogue, format, word, convert, path, how);
}

void write_catalogue_crtf(const Catalogue& catalogue, const std::string& path, const FileOptions& how) {
  const RegionFormat format{"#CRTFv0 CASA Region Text Format version 0\n", "", "'\"[]", crtf};
  const auto [word, convert] = written_frame(catalogue, {"ICRS", "J2000", "B1950", "GALACTIC", "ECLIPTIC"});
  write_regions(catalogue, format, word, convert, path, how);
}

void write_catalogue_karma(const Catalogue& catalogue, const std::string& path, const FileOptions& how) {
  const RegionFormat format{"# Karma annotation file\n", "COLOR GREEN\nCOORD W\nPA SKY\nFONT hershey12\n", "#\\",
                            karma};
  // World coordinates are those of the image, whatever its frame.
  write_regions(catalogue, format, catalogue.frame, {}, path, how);
}

}  // namespace reber
