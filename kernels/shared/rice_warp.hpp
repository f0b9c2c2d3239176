// SPDX-License-Identifier: BSD-3-Clause
// RICE_1 tiles decoded by the lanes of a warp, a tile each, and their pixels stored by all lanes together, a tile's row
// after the other. A processor does the same with a loop in place of the lanes.
//
//   lane 0   tile 0   ring of words ─▶ 32 pixels ─▶ │ row 0 of WarpMemory::pixels │ ─▶ lanes 0..31 ─▶ tile 0 of the
//   image lane 1   tile 1   ring of words ─▶ 32 pixels ─▶ │ row 1                       │ ─▶ lanes 0..31 ─▶ tile 1
//   ...                 decode(), each by itself                                         store(), row after row
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "core/files/tiles/quantised.hpp"
#include "core/files/tiles/quantised_rule.hpp"
#include "core/files/tiles/rice_rule.hpp"
#include "kernels/shared/host_device.hpp"
#include "kernels/shared/pixel_rules.hpp"

namespace reber::rice {

inline constexpr int kLanes = 32;
/// Pixels of each tile between two stores.
inline constexpr int kTogether = 32;
/// Words of a lane's stream that are held near it, and how many are fetched at once: blocks of 32 pixels mostly need
/// fewer.
inline constexpr int kRing = 64, kFetched = 16;
/// Streams begin at multiples of so many bytes of Batch::streams; so many must be readable behind the last one's end.
inline constexpr std::int64_t kAligned = 16, kPadding = 4 * kFetched;

enum class Kind {
  integers,  ///< numbers by scale, zero and blank of the image
  floats,    ///< quantised
  doubles,   ///< quantised, as doubles that are rounded to floats
};

/// One tile's stream.
struct Tile {
  std::int64_t offset = 0;  ///< in Batch::streams
  std::int32_t bytes = 0;
  bool plain = false;  ///< no code: floats in big-endian order
  bool has_blank = false;
  fits::TileScale scale;  ///< of quantised floats
};

/// A plane's tiles, what they have in common, and where their pixels go.
struct Batch {
  const std::byte* streams = nullptr;  ///< aligned to kAligned
  const Tile* tiles = nullptr;         ///< in rows of tiles
  std::int64_t count = 0, across = 1;
  std::int64_t tile_ny = 1, tile_nx = 1, ny = 0, nx = 0;
  std::int32_t block = 32;
  fits::Dither dither = fits::Dither::none;
  std::int32_t first_random = 0;   ///< of the first tile
  const float* randoms = nullptr;  ///< kDitherRandoms of them
  double scale = 1, zero = 0;
  bool has_blank = false;
  std::int64_t blank = 0;
  float* out = nullptr;
  std::int64_t pitch = 0;
};

struct alignas(16) FourWords {
  std::uint32_t word[4];
};

/// Where a lane is in its tile, for all lanes to see.
struct Place {
  float* to = nullptr;  ///< the tile's row
  std::int32_t column = 0, width = 1;
  std::int32_t here = 0;                     ///< pixels that are to be stored
  std::int32_t random = 0, next_random = 0;  ///< of the first of them; of the first one behind the list's end
  bool plain = false, has_blank = false;
  fits::TileScale scale;
};

/// What a warp shares. Lanes next to each other find their words, and their pixels, in banks next to each other.
struct WarpMemory {
  std::uint32_t ring[kRing * kLanes];
  std::uint32_t pixels[kLanes][kTogether + 1];
  Place places[kLanes];
};

/// What was stored.
struct Seen {
  unsigned blank = 0, infinite = 0;
  float largest = 0;  ///< absolute value
};

REBER_HD std::uint32_t swapped(std::uint32_t word) {
#ifdef __CUDA_ARCH__
  return __byte_perm(word, 0, 0x0123);
#else
  return __builtin_bswap32(word);
#endif
}

REBER_HD int zeros_before(std::uint64_t bits) {
#ifdef __CUDA_ARCH__
  return __clzll(static_cast<long long>(bits));
#else
  return std::countl_zero(bits);
#endif
}

REBER_HD float float_of_word(std::uint32_t bits) {
#ifdef __CUDA_ARCH__
  return __uint_as_float(bits);
#else
  return std::bit_cast<float>(bits);
#endif
}

/// The words of a lane's stream, highest byte first. Behind the end come ones, so that every run of zeros ends.
class Words {
 public:
  REBER_HD Words(const std::byte* stream, std::int64_t bytes, std::uint32_t* ring)
      : stream_(reinterpret_cast<const FourWords*>(stream)),
        ring_(ring),
        count_(static_cast<std::uint32_t>((bytes + 3) / 4)) {}

  REBER_HD std::uint32_t next() {
    const std::uint32_t at = at_++;
    if (at >= count_) return ~std::uint32_t{0};
    if (at < filled_) return ring_[at % kRing * kLanes];
    return swapped(stream_[at / 4].word[at % 4]);
  }
  REBER_HD std::uint32_t taken() const { return at_; }

  /// Whether the ring has room for what the stream still holds; fetch() and keep() may then be called, once each.
  REBER_HD bool wants() {
    if (at_ > filled_) filled_ = at_ / 4 * 4;
    return filled_ < count_ && filled_ + kFetched - at_ <= kRing;
  }
  REBER_HD void fetch(FourWords (&ahead)[kFetched / 4]) const {
    REBER_UNROLL
    for (int i = 0; i < kFetched / 4; ++i) ahead[i] = stream_[filled_ / 4 + static_cast<std::uint32_t>(i)];
  }
  REBER_HD void keep(const FourWords (&ahead)[kFetched / 4]) {
    REBER_UNROLL
    for (int i = 0; i < kFetched; ++i)
      ring_[(filled_ + static_cast<std::uint32_t>(i)) % kRing * kLanes] = swapped(ahead[i / 4].word[i % 4]);
    filled_ += kFetched;
  }

 private:
  const FourWords* stream_;
  std::uint32_t* ring_;
  std::uint32_t count_, at_ = 0, filled_ = 0;  ///< words [at_, filled_) are in the ring
};

/// A window over them (fits::RicePixels), filled by 32 bits at a time from a word that was read before.
class WordBits {
 public:
  using Index = std::int32_t;
  static constexpr int kFew = -1, kSome = -1;

  /// skip: bytes before the stream, less than kAligned
  REBER_HD WordBits(const Words& words, std::int64_t skip, std::int64_t bytes)
      : words_(words), end_(8 * (skip + bytes)) {
    for (; skip >= 4; skip -= 4) (void)words_.next();
    next_ = words_.next();
    fill();
    drop(static_cast<int>(8 * skip));
  }

  REBER_HD void fill() {
    if (held_ > 32) return;
    bits_ |= static_cast<std::uint64_t>(next_) << (32 - held_);
    held_ += 32;
    next_ = words_.next();
  }
  REBER_HD int held() const { return held_; }
  REBER_HD int zeros() const { return zeros_before(bits_); }
  REBER_HD std::uint32_t take(int count) {
    const auto value = static_cast<std::uint32_t>(bits_ >> 32 >> (32 - count));
    drop(count);
    return value;
  }
  REBER_HD void drop(int count) {
    bits_ <<= count;
    held_ -= count;
  }
  REBER_HD void clear() {
    bits_ = 0;
    held_ = 0;
  }
  REBER_HD bool at_end() const { return false; }
  REBER_HD bool overrun() const { return 32 * (static_cast<std::int64_t>(words_.taken()) - 1) - held_ > end_; }
  REBER_HD Words& words() { return words_; }

 private:
  Words words_;
  std::int64_t end_;  ///< bits
  std::uint64_t bits_ = 0;
  std::uint32_t next_ = 0;
  int held_ = 0;
};

/// A lane's tile, while it is decoded.
template <class Pixel>
class Lane {
 public:
  /// tile: beyond the last one for a lane without work
  REBER_HD Lane(const Batch& batch, WarpMemory& memory, std::int64_t tile, int lane)
      : Lane(batch, memory, tile < batch.count ? batch.tiles[tile] : Tile{}, lane) {
    Place& place = memory.places[lane];
    place = {};
    if (tile >= batch.count) return;
    const Tile& own = batch.tiles[tile];
    const std::int64_t y = tile / batch.across * batch.tile_ny, x = tile % batch.across * batch.tile_nx;
    const std::int64_t height = batch.tile_ny < batch.ny - y ? batch.tile_ny : batch.ny - y;
    const std::int64_t width = batch.tile_nx < batch.nx - x ? batch.tile_nx : batch.nx - x;
    left_ = static_cast<std::int32_t>(height * width);
    place.to = batch.out + y * batch.pitch + x;
    place.width = static_cast<std::int32_t>(width);
    place.plain = plain_;
    place.has_blank = own.has_blank;
    place.scale = own.scale;
    if (!plain_) pixels_.begin();
    if (batch.dither == fits::Dither::none) return;
    from_ = static_cast<std::int32_t>((batch.first_random + tile) % fits::kDitherRandoms);
    place.random = fits::dither_start(batch.randoms[from_]);
    set_next_random(batch, place);
  }

  REBER_HD bool left() const { return left_ > 0; }
  /// Whether its stream ended too soon or holds what no encoder writes.
  REBER_HD bool damaged() const { return damaged_; }

  /// Decodes the tile's next pixels, at most kTogether.
  REBER_HD void decode(const Batch& batch, WarpMemory& memory, int lane) {
    Place& place = memory.places[lane];
    advance(batch, place);
    Words& words = pixels_.bits().words();
    FourWords ahead[kFetched / 4];
    const bool fetches = left_ > 0 && words.wants();
    if (fetches) words.fetch(ahead);  // on its way while these pixels are decoded
    const std::int32_t here = left_ < kTogether ? left_ : kTogether;
    std::uint32_t* const to = memory.pixels[lane];
    bool sound = true;
    if (plain_) {
      for (std::int32_t i = 0; i < here; ++i) {
        pixels_.bits().fill();
        to[i] = pixels_.bits().take(32);
      }
    } else if (here > 0) {
      sound = pixels_.read(here, [to](std::int32_t i, Pixel pixel) { to[i] = pixel; });
    }
    if (fetches) words.keep(ahead);
    place.here = sound ? here : 0;
    left_ = sound ? left_ - here : 0;
    damaged_ = damaged_ || !sound;
  }

 private:
  REBER_HD Lane(const Batch& batch, WarpMemory& memory, const Tile& tile, int lane)
      : plain_(tile.plain), pixels_(bits_of(batch, memory, tile, lane), batch.block) {}

  REBER_HD static WordBits bits_of(const Batch& batch, WarpMemory& memory, const Tile& tile, int lane) {
    const std::int64_t skip = tile.offset % kAligned;
    Words words(batch.streams + (tile.offset - skip), tile.bytes > 0 ? skip + tile.bytes : 0, memory.ring + lane);
    FourWords ahead[kFetched / 4];
    REBER_ROLLED
    for (int i = 0; i < kRing / kFetched && words.wants(); ++i) {
      words.fetch(ahead);
      words.keep(ahead);
    }
    return {words, skip, tile.bytes};
  }

  /// Behind the pixels that were stored.
  REBER_HD void advance(const Batch& batch, Place& place) {
    place.column += place.here;
    if (place.column >= place.width) {
      place.to += place.column / place.width * batch.pitch;
      place.column %= place.width;
    }
    if (batch.dither == fits::Dither::none) return;
    place.random += place.here;
    if (place.random < fits::kDitherRandoms) return;
    place.random += place.next_random - fits::kDitherRandoms;
    set_next_random(batch, place);
  }
  REBER_HD void set_next_random(const Batch& batch, Place& place) {
    from_ = from_ + 1 < fits::kDitherRandoms ? from_ + 1 : 0;
    place.next_random = fits::dither_start(batch.randoms[from_]);
  }

  bool plain_, damaged_ = false;
  std::int32_t left_ = 0, from_ = 0;
  fits::RicePixels<Pixel, WordBits> pixels_;
};

struct Value {
  float value;
  bool infinite;  ///< before it became blank
};

template <class Real>
REBER_HD Value value_of_real(Real real, const Batch& batch) {
  return {rules::decode(static_cast<double>(real), batch.scale, batch.zero), std::isinf(real)};
}

template <class Real>
REBER_HD Value value_of_quantised(const Batch& batch, const Place& place, std::uint32_t word, int k) {
  const auto stored = static_cast<std::int32_t>(word);
  if (batch.dither == fits::Dither::none)
    return value_of_real(fits::undithered<Real>(stored, place.scale, place.has_blank), batch);
  std::int32_t at = place.random + k;
  if (at >= fits::kDitherRandoms) at += place.next_random - fits::kDitherRandoms;
  const bool zeros = batch.dither == fits::Dither::subtractive_2;
  return value_of_real(fits::dithered<Real>(stored, batch.randoms[at], place.scale, place.has_blank, zeros), batch);
}

/// Pixel k of those that a tile's lane has decoded.
template <class Pixel, Kind kind>
REBER_HD Value value_of(const Batch& batch, const Place& place, std::uint32_t word, int k) {
  if constexpr (kind == Kind::integers) {
    const std::int64_t stored = sizeof(Pixel) == 1   ? static_cast<std::int64_t>(word)
                                : sizeof(Pixel) == 2 ? static_cast<std::int16_t>(word)
                                                     : static_cast<std::int32_t>(word);
    if (batch.has_blank && stored == batch.blank) return {rules::blank_value(), false};
    return {rules::decode(static_cast<double>(stored), batch.scale, batch.zero), false};
  } else {
    if (place.plain) return value_of_real(float_of_word(word), batch);
    if constexpr (kind == Kind::floats) return value_of_quantised<float>(batch, place, word, k);
    return value_of_quantised<double>(batch, place, word, k);
  }
}

/// Stores pixel k of those that lane `of` has decoded, if there are so many.
template <class Pixel, Kind kind>
REBER_HD void store(const Batch& batch, const WarpMemory& memory, int of, int k, Seen& seen) {
  const Place& place = memory.places[of];
  if (k >= place.here) return;
  const Value pixel = value_of<Pixel, kind>(batch, place, memory.pixels[of][k], k);
  std::int64_t at = place.column + k;
  if (at >= place.width) {
    const std::int32_t column = place.column + k, rows = column / place.width;
    at = rows * batch.pitch + (column - rows * place.width);
  }
  place.to[at] = pixel.value;
  seen.blank += std::isfinite(pixel.value) ? 0u : 1u;
  seen.infinite += pixel.infinite ? 1u : 0u;
  if (fabsf(pixel.value) > seen.largest) seen.largest = fabsf(pixel.value);  // never where it is blank
}

}  // namespace reber::rice
