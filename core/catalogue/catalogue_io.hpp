// SPDX-License-Identifier: BSD-3-Clause
// Catalogue files. One format per file, one row per format in the table of formats.
#pragma once

#include <span>
#include <string>

#include "core/model/catalogue.hpp"

namespace reber {

struct CatalogueFormat {
  const char* extension;  ///< ".csv", ".fits", ".vot", ".sqlite", ".reg", ".crtf", ".ann"
  bool table;             ///< holds every column; the others draw the sources
  const char* text;       ///< one line for --help
  void (*write)(const Catalogue& catalogue, const std::string& path, bool overwrite);
};

[[nodiscard]] std::span<const CatalogueFormat> catalogue_formats();
/// By the path's extension, capitals allowed; null for an unknown one.
[[nodiscard]] const CatalogueFormat* find_catalogue_format(const std::string& path);

/// The same.   throws InputError for an unknown one (lists the known ones)
[[nodiscard]] const CatalogueFormat& catalogue_format(const std::string& path);

/// In that format. Whole or not at all.
///   throws InputError for an unknown extension or an existing file, DataError where writing
///   fails
void write_catalogue(const Catalogue& catalogue, const std::string& path, bool overwrite);

}  // namespace reber
