// SPDX-License-Identifier: BSD-3-Clause
// The table of catalogue formats.
#include "core/files/catalogue/catalogue_io.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/files/catalogue/catalogue_writers.hpp"
#include "core/sky/model/sky_frames.hpp"

namespace reber {
namespace {

constexpr std::array kFormats = {
    CatalogueFormat{"csv", ".csv", true, "comma-separated values, one header line", nullptr, write_catalogue_csv},
    CatalogueFormat{"ecsv", ".ecsv", true, "the same with units, descriptions and HISTORY, as astropy writes it",
                    nullptr, write_catalogue_ecsv},
    CatalogueFormat{"fits", ".fits", true, "FITS binary table with units, UCDs and HISTORY", nullptr,
                    write_catalogue_fits},
    CatalogueFormat{"vot", ".vot", true, "VOTable 1.4 with units, UCDs and the coordinate frame", nullptr,
                    write_catalogue_votable},
    CatalogueFormat{"vot", ".xml", true, "the same", nullptr, write_catalogue_votable},
    CatalogueFormat{"sqlite", ".sqlite", true, "SQLite 3 database: sources, columns, history", nullptr,
                    write_catalogue_sqlite},
    CatalogueFormat{"reg", ".reg", false, "DS9 regions: one ellipse of FWHM a source", nullptr,
                    write_catalogue_regions},
    CatalogueFormat{"crtf", ".crtf", false, "CASA regions (CRTF): the same", nullptr, write_catalogue_crtf},
    CatalogueFormat{"ann", ".ann", false, "Karma annotations (kvis): the same", nullptr, write_catalogue_karma},
};

constexpr std::array kListFormats = {
    CatalogueFormat{"srl", ".srl", true, "PyBDSF's text table of sources", "srl", write_catalogue_pybdsf},
    CatalogueFormat{"gaul", ".gaul", true, "PyBDSF's text table of Gaussians", "gaul", write_catalogue_pybdsf},
    CatalogueFormat{"bbs", ".skymodel", false, "sky model for DP3, LSMTool and makesourcedb", "gaul", write_sky_model},
    CatalogueFormat{"bbs", ".bbs", false, "the same", "gaul", write_sky_model},
    CatalogueFormat{"wsclean", "-sources.txt", false, "component list as WSClean writes it", "gaul",
                    write_component_list},
};

const std::vector<double>* reals(const Catalogue& catalogue, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const Column* const column = catalogue.find(name);
    if (column == nullptr) continue;
    if (const auto* values = std::get_if<std::vector<double>>(&column->values)) return values;
  }
  return nullptr;
}

}  // namespace

std::span<const CatalogueFormat> catalogue_formats() { return kFormats; }

std::span<const CatalogueFormat> source_list_formats() { return kListFormats; }

const CatalogueFormat* find_catalogue_format(const std::string& path, const std::string& word) {
  std::string lower = path.substr(path.rfind('/') + 1);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto first_of = [](auto fits) -> const CatalogueFormat* {
    for (const std::span<const CatalogueFormat> formats : {catalogue_formats(), source_list_formats()})
      for (const CatalogueFormat& format : formats)
        if (fits(format)) return &format;
    return nullptr;
  };
  if (const auto* found = first_of([&](const CatalogueFormat& f) { return lower.ends_with(f.extension); }))
    return found;
  return first_of([&](const CatalogueFormat& f) { return word == f.word; });
}

const CatalogueFormat& catalogue_format(const std::string& path, const std::string& word) {
  if (const CatalogueFormat* const format = find_catalogue_format(path, word)) return *format;
  std::string known;
  for (const std::span<const CatalogueFormat> formats : {catalogue_formats(), source_list_formats()})
    for (const CatalogueFormat& format : formats) known += std::string(known.empty() ? "" : ", ") + format.extension;
  throw InputError(fmt::format("'{}': the name of a catalogue must end in one of {}", printable(path), known));
}

void write_catalogue(const Catalogue& catalogue, const std::string& path, const FileOptions& how,
                     const std::string& word) {
  const CatalogueFormat& format = catalogue_format(path, word);
  check_columns(catalogue);
  format.write(catalogue, path, how);
}

PlaceColumns place_columns(const Catalogue& catalogue) {
  return {reals(catalogue, {"RA", "GLON", "ELON"}),
          reals(catalogue, {"DEC", "GLAT", "ELAT"}),
          reals(catalogue, {"Xposn"}),
          reals(catalogue, {"Yposn"}),
          reals(catalogue, {"Maj"}),
          reals(catalogue, {"Min"}),
          reals(catalogue, {"PA"})};
}

std::string frame_comment(const Catalogue& catalogue) {
  const auto system = system_named(catalogue.frame, catalogue.equinox);
  // FK5 J2000 is within .025 arcsec of ICRS, and scripts read its tables without a thought of comments.
  if (catalogue.frame.empty() || (system && is_usual(*system))) return {};
  return fmt::format("# frame: {}\n", printable(system ? name_of(*system) : catalogue.frame));
}

std::string number_text(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return fmt::format("{}", value);
}

void check_columns(const Catalogue& catalogue) {
  for (const Column& column : catalogue.columns) {
    const auto rows =
        std::visit([](const auto& values) { return static_cast<std::int64_t>(values.size()); }, column.values);
    if (rows != catalogue.rows()) {
      throw InternalError(fmt::format("column {} has {} rows, not {}", column.info.name, rows, catalogue.rows()));
    }
  }
}

}  // namespace reber
