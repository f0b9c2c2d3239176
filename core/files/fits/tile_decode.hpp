// SPDX-License-Identifier: BSD-3-Clause
// Tile-compressed images through CFITSIO, in child processes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/base/progress.hpp"
#include "core/files/fits/pixel_sources.hpp"

namespace reber::fits {

/// Decodes a plane of a tile-compressed image through CFITSIO, after all checks of fits_guard.hpp: in child processes,
/// as many as usable_threads(), each with its part of the tiles.
///   throws DataError, also where the decoder crashes or hangs; DeviceError without a process or memory; Cancelled
[[nodiscard]] std::shared_ptr<const DecodedPlane> decode_tiles(const ByteSource& bytes, const Hdu& hdu, int x_axis,
                                                               int y_axis, std::int64_t plane, const std::string& name,
                                                               const Progress& progress);

}  // namespace reber::fits
