// SPDX-License-Identifier: BSD-3-Clause
// Checks of tile-compressed images (FITS standard 4.0, section 10) before CFITSIO decodes them.
#pragma once

#include <cstdint>
#include <string>

#include "core/files/fits/fits_guard.hpp"

namespace reber::fits {

/// Where the bytes of one tile lie in the heap.
struct TileDescriptor {
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
};
/// row: of the table, layout.row_bytes of it; as it is written, not checked.
[[nodiscard]] TileDescriptor descriptor_of(const unsigned char* row, const TileColumn& column);

/// Fills Hdu::bitpix, axes and layout of a table with ZIMAGE = T, or its `problem`.
void read_tile_layout(Hdu& hdu);

/// Checks that every tile descriptor lies inside the heap.   throws DataError
void check_descriptors(const ByteSource& bytes, const Hdu& hdu, const std::string& name);
/// Checks the compressed streams that would make CFITSIO hang (short GZIP tiles) or write outside its memory
/// (HCOMPRESS with dimensions of its own). RICE and PLIO streams carry nothing to check.   throws DataError
void check_streams(const ByteSource& bytes, const Hdu& hdu, const std::string& name);

}  // namespace reber::fits
