// SPDX-License-Identifier: BSD-3-Clause
// The table of catalogue formats.
#include "core/catalogue/catalogue_io.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/catalogue/catalogue_writers.hpp"

namespace reber {
namespace {

constexpr std::array kFormats = {
    CatalogueFormat{".csv", true, "comma-separated values, one header line", write_catalogue_csv},
    CatalogueFormat{".fits", true, "FITS binary table with units, UCDs and HISTORY", write_catalogue_fits},
    CatalogueFormat{".vot", true, "VOTable 1.4 with units, UCDs and the coordinate frame", write_catalogue_votable},
    CatalogueFormat{".sqlite", true, "SQLite 3 database: sources, columns, history", write_catalogue_sqlite},
    CatalogueFormat{".reg", false, "DS9 regions: one ellipse of FWHM a source", write_catalogue_regions},
    CatalogueFormat{".crtf", false, "CASA regions (CRTF): the same", write_catalogue_crtf},
    CatalogueFormat{".ann", false, "Karma annotations (kvis): the same", write_catalogue_karma},
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

const CatalogueFormat* find_catalogue_format(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::size_t dot = path.rfind('.');
  std::string extension;
  if (dot != std::string::npos && (slash == std::string::npos || dot > slash)) extension = path.substr(dot);
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const CatalogueFormat& format : kFormats)
    if (extension == format.extension) return &format;
  return nullptr;
}

const CatalogueFormat& catalogue_format(const std::string& path) {
  if (const CatalogueFormat* const format = find_catalogue_format(path)) return *format;
  std::string known;
  for (const CatalogueFormat& format : kFormats) known += std::string(known.empty() ? "" : ", ") + format.extension;
  throw InputError(fmt::format("'{}': the name of a catalogue must end in one of {}", printable(path), known));
}

void write_catalogue(const Catalogue& catalogue, const std::string& path, bool overwrite) {
  const CatalogueFormat& format = catalogue_format(path);
  check_columns(catalogue);
  format.write(catalogue, path, overwrite);
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
