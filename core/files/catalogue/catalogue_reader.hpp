// SPDX-License-Identifier: BSD-3-Clause
// Reads catalogues of any origin into columns.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/progress.hpp"
#include "core/sky/model/catalogue.hpp"

namespace reber {

/// What the reading of a table may take.
struct ReadLimits {
  Progress progress;
  std::int64_t memory_bytes = 0;  ///< 0: half of what this process may have
};

/// Reads a table, whatever its name ends in. Of a file with several tables the first is read.
///   FITS     binary and ASCII tables, gzipped too
///   VOTable  TABLEDATA, BINARY, BINARY2
///   text     ECSV, CSV, TSV, columns between blanks, SExtractor's ASCII_HEAD, VizieR's TSV, headers behind '#'
/// Keeps columns of one number or text per row, in their order; leaves out arrays, complex numbers and bits. Numbers
/// are int64 where all are whole and none is missing, else double with NaN for no value. Units, UCDs and descriptions
/// are kept where the file has them. No library sees the file: headers pass the guard of the image reader, cells are
/// decoded by position.
///   throws DataError for a file that is missing, of none of these formats, damaged, without a row of columns, or whose
///   table takes more memory than it may; Cancelled
[[nodiscard]] Catalogue read_catalogue(const std::string& path, const ReadLimits& limits = {});

}  // namespace reber
