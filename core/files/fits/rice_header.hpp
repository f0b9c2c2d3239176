// SPDX-License-Identifier: BSD-3-Clause
// What a header says of RICE_1 tiles (FITS standard 4.0, section 10): whether this program decodes them itself, and
// how.
#pragma once

#include <cstdint>
#include <optional>

#include "core/files/fits/fits_guard.hpp"
#include "core/files/tiles/quantised.hpp"
#include "core/sky/model/pixel_source.hpp"

namespace reber::fits {

/// All that a plane's tiles have in common.
struct RiceHeader {
  int pixel_bytes = 4;             ///< BYTEPIX: of a coded integer
  std::int64_t block = 32;         ///< BLOCKSIZE: pixels that share a parameter
  PixelFormat format;              ///< of decoded pixels: the stored integers, or floats of this machine
  TileColumn stream;               ///< COMPRESSED_DATA
  std::optional<TileColumn> gzip;  ///< GZIP_COMPRESSED_DATA: tiles of floats that could not be quantised
  // Of quantised floats:
  bool quantised = false;
  Dither dither = Dither::none;
  std::int64_t seed = 1;                           ///< ZDITHER0
  std::int64_t scale_offset = 0, zero_offset = 0;  ///< of ZSCALE and ZZERO in a row of the table
  std::optional<std::int64_t> blank_offset;        ///< of ZBLANK in a row
  std::optional<std::int32_t> blank;               ///< ZBLANK of all tiles
  double scale = 1, zero = 0;                      ///< BSCALE and BZERO of the image
};

/// Empty for other codes than RICE_1, and for anything in the header that is unusual: CFITSIO decodes those.
///   plain: scale and zero of the image as its cards say; the planes are along x_axis and y_axis
[[nodiscard]] std::optional<RiceHeader> read_rice_header(const Hdu& hdu, const PixelFormat& plain, int x_axis,
                                                         int y_axis);

}  // namespace reber::fits
