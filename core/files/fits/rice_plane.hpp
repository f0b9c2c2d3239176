// SPDX-License-Identifier: BSD-3-Clause
// One plane's RICE_1 tiles: where they lie, and their pixels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/shape.hpp"
#include "core/files/fits/rice_header.hpp"
#include "core/files/io/byte_source.hpp"
#include "core/files/tiles/coded_tiles.hpp"

namespace reber::fits {

/// Memory of one thread that decodes.
struct RiceScratch {
  std::vector<unsigned char> streams;
  std::vector<std::byte> integers, pixels;
};

/// The table of a plane's tiles, read once. Safe from several threads.
class RicePlane {
 public:
  /// Reads the table.   throws DataError where it cannot be read or points outside the heap
  RicePlane(const ByteSource& bytes, const Hdu& hdu, const RiceHeader& rice, std::int64_t plane, std::string name);

  /// Whether every tile lies in a column that is known.
  [[nodiscard]] bool complete() const { return complete_; }
  [[nodiscard]] Shape shape() const { return shape_; }
  [[nodiscard]] Shape tile() const { return tile_; }  ///< those at the far edges are smaller
  [[nodiscard]] std::int64_t across() const { return (shape_.nx - 1) / tile_.nx + 1; }  ///< tiles of a stripe
  [[nodiscard]] std::int64_t stripes() const { return (shape_.ny - 1) / tile_.ny + 1; }
  [[nodiscard]] std::int64_t stripe_rows(std::int64_t stripe) const;
  [[nodiscard]] const RiceHeader& header() const { return rice_; }

  /// Decodes whole stripes [first, last) into rows that follow each other.
  ///   throws DataError that names the plane's first damaged tile
  void decode_stripes(std::int64_t first, std::int64_t last, std::byte* out, RiceScratch& scratch) const;
  /// Decodes one tile into its place; plane: all rows.   throws as decode_stripes
  void decode_tile(std::int64_t index, std::byte* plane, RiceScratch& scratch) const;
  /// The tile's pixels without gaps.   throws as decode_stripes
  void decode_alone(std::int64_t index, std::byte* out, RiceScratch& scratch) const;

  /// The tiles as they are coded; empty where other things lie between their streams.
  [[nodiscard]] std::optional<CodedPlane> coded() const;
  /// Bytes of coded()'s streams, where these are together.   throws DataError
  void read_streams(std::int64_t offset, std::int64_t count, std::byte* out) const;

  /// Tells that these stripes will be read soon.
  void will_need(std::int64_t first, std::int64_t last) const;

 private:
  struct Tile {
    std::int64_t offset = 0;  ///< in the heap
    std::int64_t bytes = 0;
    bool gzip = false;
    std::optional<std::int32_t> blank;
    double scale = 1, zero = 0;
  };
  struct Span {
    std::int64_t begin = 0, end = 0;
  };
  [[nodiscard]] Tile read_tile(const unsigned char* row) const;
  [[nodiscard]] Shape shape_of(std::int64_t index) const;
  /// Of the heap, with all streams of these tiles; empty where other things lie between them.
  [[nodiscard]] Span span_of(std::int64_t first, std::int64_t last) const;
  /// Where the tile begins in the list of random numbers.
  [[nodiscard]] std::int64_t random_of(std::int64_t index) const;
  /// The tile's pixels without gaps.   stream: with kRicePadding behind   returns whether it is sound
  [[nodiscard]] bool decode(std::int64_t index, const unsigned char* stream, std::byte* out,
                            RiceScratch& scratch) const;
  /// The same into rows of the plane; out: the tile's first pixel.   throws DataError
  void place(std::int64_t index, const unsigned char* stream, std::byte* out, RiceScratch& scratch) const;
  void read_and_place(std::int64_t index, std::byte* out, RiceScratch& scratch) const;
  [[noreturn]] void refuse(std::int64_t index) const;

  const ByteSource& bytes_;
  RiceHeader rice_;
  std::string name_;
  int hdu_;
  std::int64_t heap_offset_, heap_bytes_;
  Shape shape_, tile_;
  std::int64_t first_tile_ = 0;  ///< of the table's rows
  std::int64_t begin_ = 0;       ///< of the heap: where the first of the streams lies
  std::vector<Tile> tiles_;
  bool complete_ = true;
};

}  // namespace reber::fits
