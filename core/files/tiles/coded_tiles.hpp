// SPDX-License-Identifier: BSD-3-Clause
// What a PixelSource can be beside: one whose pixels are coded in tiles, for whoever decodes them elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/shape.hpp"
#include "core/files/tiles/quantised.hpp"

namespace reber::fits {

/// One tile of a plane.
struct CodedTile {
  std::int64_t offset = 0, bytes = 0;  ///< of its stream among the plane's streams
  bool rice = true;                    ///< RICE_1; else it is coded otherwise
  // Of quantised floats:
  double scale = 1, zero = 0;
  std::optional<std::int32_t> blank;
};

/// A plane's tiles and what they have in common. Integers become numbers as PixelSource::format() says; quantised ones
/// are floats of its type first.
struct CodedPlane {
  Shape tile;               ///< those at the far edges are smaller
  int pixel_bytes = 4;      ///< of a coded integer
  std::int64_t block = 32;  ///< pixels that share a parameter
  bool quantised = false;
  Dither dither = Dither::none;
  std::int64_t first_random = 0;  ///< of the first tile (Quantisation); the next tile's is the next, modulo 10000
  std::int64_t stream_bytes = 0;  ///< of all streams, and of what lies between them
  std::vector<CodedTile> tiles;   ///< in rows of tiles
};

class CodedTiles {
 public:
  virtual ~CodedTiles() = default;
  /// Empty where the streams lie too far apart to be fetched together.
  [[nodiscard]] virtual std::optional<CodedPlane> coded() const = 0;
  /// Fills `out` with bytes [offset, offset + count) of the streams. May be called from several threads at once.
  ///   throws as PixelSource::read_rows
  virtual void read_streams(std::int64_t offset, std::int64_t count, std::byte* out) const = 0;
  /// Fills `out` with the stored pixels of one tile, without gaps, as PixelSource::read_rows has them; for tiles that
  /// are not RICE_1. May be called from several threads at once.   throws DataError that names the plane's first
  /// damaged tile
  virtual void read_tile(std::int64_t index, std::byte* out) const = 0;
};

}  // namespace reber::fits
