// SPDX-License-Identifier: BSD-3-Clause
// Writes one float or integer plane as a tile-compressed FITS image, whole or not at all.
#pragma once

#include <string>

#include "core/files/fits/fits_writer.hpp"

namespace reber {

/// Whether the name asks for a tile-compressed image: it ends in ".fz", as those of fpack do.
[[nodiscard]] bool asks_for_tiles(const std::string& path);

/// As write_fits, but without loss compressed by all threads: an empty primary HDU, then a table with ZIMAGE = T (FITS
/// standard 4.0, section 10). Tiles are whole rows; floats are coded by GZIP_2, integers by RICE_1. The file's bytes
/// depend on the pixels alone. NaN: kept bit for bit.   throws as write_fits
void write_tiles(const std::string& path, Shape shape, const OutputHeader& header, const FloatRows& rows,
                 const FileOptions& how, const Progress& progress = {});
void write_tiles(const std::string& path, Shape shape, const OutputHeader& header, const IntRows& rows,
                 const FileOptions& how, const Progress& progress = {});

/// write_tiles() or write_fits(), as the name asks.
template <class Rows>
void write_map(const std::string& path, Shape shape, const OutputHeader& header, const Rows& rows,
               const FileOptions& how, const Progress& progress = {}) {
  if (asks_for_tiles(path))
    write_tiles(path, shape, header, rows, how, progress);
  else
    write_fits(path, shape, header, rows, how, progress);
}

}  // namespace reber
