// SPDX-License-Identifier: BSD-3-Clause
// Planes of RICE_1 tiles, decoded in this process where their rows are asked for.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/base/progress.hpp"
#include "core/files/fits/pixel_sources.hpp"
#include "core/files/fits/rice_header.hpp"

namespace reber::fits {

/// Whether rows are decoded each time they are read: tiles are rows, or so flat that few are decoded for nothing. A
/// plane of higher tiles is decoded whole.
[[nodiscard]] bool decodes_rows(const Hdu& hdu, const RiceHeader& rice);

/// A plane whose rows are decoded by whoever reads them, several threads side by side; a CodedTiles as well. bytes must
/// outlive it.
///   name: of the file, for messages   returns null where a tile lies in no column that is known: CFITSIO's then
///   throws DataError where the table cannot be read. Reading rows throws DataError that names the plane's first
///   damaged tile.
[[nodiscard]] std::unique_ptr<PixelSource> rice_source(const ByteSource& bytes, const Hdu& hdu, const RiceHeader& rice,
                                                       std::int64_t plane, const std::string& name);

/// The same plane in memory, decoded by usable_threads().   returns null as rice_source
///   throws DataError; Cancelled
[[nodiscard]] std::shared_ptr<const DecodedPlane> decode_rice(const ByteSource& bytes, const Hdu& hdu,
                                                              const RiceHeader& rice, std::int64_t plane,
                                                              const std::string& name, const Progress& progress);

}  // namespace reber::fits
