// SPDX-License-Identifier: BSD-3-Clause
// What a card is given of a plane's coded tiles: one buffer with all streams, a table of them, and a rice::Batch.
//
//   │ streams, as they lie in the file: pieces │ tiles of other codes, as floats │ padding │
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/files/tiles/coded_tiles.hpp"
#include "core/sky/model/pixel_source.hpp"
#include "kernels/shared/rice_warp.hpp"

namespace reber::rice {

class CodedUpload {
 public:
  /// pixels: the source's shape and format are taken; source: the same; must outlive this
  CodedUpload(const PixelSource& pixels, const fits::CodedTiles& source, fits::CodedPlane coded);

  /// Whether no stream is much longer than an encoder makes it: a run of zeros would be followed to its end.
  [[nodiscard]] bool usual() const;
  /// Whether the card is through before so many threads of the host would be. It takes a tile's pixels one by one.
  [[nodiscard]] bool worth_it(int threads) const;

  /// Of the buffer.
  [[nodiscard]] std::int64_t bytes() const { return plain_at() + plain_count() * plain_bytes_ + kPadding; }
  [[nodiscard]] std::int64_t pieces() const { return (coded_.stream_bytes + piece_bytes_ - 1) / piece_bytes_; }
  /// What is read from the file at once, by one thread.
  [[nodiscard]] std::int64_t piece_bytes() const { return piece_bytes_; }
  /// Fills pieces [first, first + count) of the buffer, but for what lies behind the last stream.   throws what reading
  /// throws
  void fill_pieces(std::int64_t first, std::int64_t count, std::byte* out) const;
  /// Where in the buffer tiles of other codes begin, how many there are, and bytes of each.
  [[nodiscard]] std::int64_t plain_at() const { return pieces() * piece_bytes_; }
  [[nodiscard]] std::int64_t plain_count() const { return static_cast<std::int64_t>(plain_.size()); }
  [[nodiscard]] std::int64_t plain_bytes() const { return plain_bytes_; }
  /// Fills tiles [first, first + count) of these.   throws what reading throws
  void fill_plain(std::int64_t first, std::int64_t count, std::byte* out) const;

  [[nodiscard]] std::vector<Tile> tiles() const;
  [[nodiscard]] Kind kind() const;
  /// Of a coded integer.
  [[nodiscard]] int pixel_bytes() const { return coded_.pixel_bytes; }
  [[nodiscard]] bool dithers() const { return coded_.quantised && coded_.dither != fits::Dither::none; }
  /// All but its pointers and the pitch.
  [[nodiscard]] Batch batch() const;

 private:
  [[nodiscard]] std::int64_t pixels_of(std::int64_t tile) const;
  void make_plain(std::int64_t tile, std::byte* out) const;

  const fits::CodedTiles& source_;
  fits::CodedPlane coded_;
  Shape shape_;
  PixelFormat format_;
  std::int64_t piece_bytes_ = 0, plain_bytes_ = 0;
  std::vector<std::int64_t> plain_;  ///< tiles that are no RICE_1
};

}  // namespace reber::rice
