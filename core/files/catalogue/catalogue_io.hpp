// SPDX-License-Identifier: BSD-3-Clause
// Catalogue files. One format per file, one row per format in the table of formats.
#pragma once

#include <span>
#include <string>

#include "core/files/io/atomic_file.hpp"
#include "core/sky/model/catalogue.hpp"

namespace reber {

struct CatalogueFormat {
  const char* word;       ///< for --format: "csv", "bbs"
  const char* extension;  ///< ".csv", "-sources.txt": how a path ends
  bool table;             ///< holds every column; the others draw the sources, or write them as a sky model
  const char* text;       ///< one line for --help
  const char* columns;    ///< word of the one set of columns that it is made of; null: any
  void (*write)(const Catalogue& catalogue, const std::string& path, const FileOptions& how);
};

/// Of any catalogue.
[[nodiscard]] std::span<const CatalogueFormat> catalogue_formats();
/// Of the sources that a search found: made of PyBDSF's tables.
[[nodiscard]] std::span<const CatalogueFormat> source_list_formats();
/// By the path's ending, capitals allowed; for another ending by `word`, if that is not empty. Null for an unknown one.
[[nodiscard]] const CatalogueFormat* find_catalogue_format(const std::string& path, const std::string& word = {});

/// The same.   throws InputError for an unknown one (lists the known ones)
[[nodiscard]] const CatalogueFormat& catalogue_format(const std::string& path, const std::string& word = {});

/// In that format. Whole or not at all. A format made of one set of columns takes a catalogue of that set.
///   throws InputError for an unknown extension or an existing file, DataError where writing
///   fails
void write_catalogue(const Catalogue& catalogue, const std::string& path, const FileOptions& how,
                     const std::string& word = {});

}  // namespace reber
