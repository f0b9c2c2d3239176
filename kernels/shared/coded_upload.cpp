// SPDX-License-Identifier: BSD-3-Clause
// The buffer's parts, and floats out of tiles that are no RICE_1.
#include "kernels/shared/coded_upload.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace reber::rice {

CodedUpload::CodedUpload(const PixelSource& pixels, const fits::CodedTiles& source, fits::CodedPlane coded)
    : source_(source), coded_(std::move(coded)), shape_(pixels.shape()), format_(pixels.format()) {
  constexpr std::int64_t kMostAtOnce = std::int64_t{256} << 10;
  const auto aligned = [](std::int64_t bytes) { return (bytes + kAligned - 1) / kAligned * kAligned; };
  piece_bytes_ = std::clamp(aligned(coded_.stream_bytes), kAligned, kMostAtOnce);
  plain_bytes_ = aligned(coded_.tile.count() * static_cast<std::int64_t>(sizeof(float)));
  for (std::size_t i = 0; i < coded_.tiles.size(); ++i)
    if (!coded_.tiles[i].rice) plain_.push_back(static_cast<std::int64_t>(i));
}

bool CodedUpload::usual() const {
  constexpr std::int64_t kMostAPixel = 8, kMostBesides = 4096;
  const std::int64_t most = kMostAPixel * coded_.tile.count() + kMostBesides;
  return most <= std::numeric_limits<std::int32_t>::max() &&
         std::ranges::all_of(coded_.tiles, [&](const fits::CodedTile& tile) { return tile.bytes <= most; });
}

bool CodedUpload::worth_it(int threads) const {
  // docs/performance.md for the host, bench/notes/programs.md for the card.
  constexpr double kHostNs = 4, kCardNs = 500;  // the latter an H100's, of a tile of 16384 pixels
  constexpr std::int64_t kFew = 1 << 15;        // pixels of a tile that nobody waits for
  const auto tile = static_cast<double>(coded_.tile.count());
  return coded_.tile.count() <= kFew || kCardNs * tile <= kHostNs * static_cast<double>(shape_.count()) / threads;
}

void CodedUpload::fill_pieces(std::int64_t first, std::int64_t count, std::byte* out) const {
  const std::int64_t begin = first * piece_bytes_;
  source_.read_streams(begin, std::min(count * piece_bytes_, coded_.stream_bytes - begin), out);
}

void CodedUpload::fill_plain(std::int64_t first, std::int64_t count, std::byte* out) const {
  for (std::int64_t i = 0; i < count; ++i)
    make_plain(plain_[static_cast<std::size_t>(first + i)], out + i * plain_bytes_);
}

std::vector<Tile> CodedUpload::tiles() const {
  std::vector<Tile> tiles;
  tiles.reserve(coded_.tiles.size());
  std::int64_t at = plain_at();
  for (const fits::CodedTile& one : coded_.tiles) {
    Tile tile;
    tile.plain = !one.rice;
    tile.offset = tile.plain ? at : one.offset;
    tile.bytes = static_cast<std::int32_t>(tile.plain ? plain_bytes_ : one.bytes);
    tile.has_blank = one.blank.has_value();
    tile.scale = {one.scale, one.zero, one.blank.value_or(0)};
    if (tile.plain) at += plain_bytes_;
    tiles.push_back(tile);
  }
  return tiles;
}

Kind CodedUpload::kind() const {
  if (!coded_.quantised) return Kind::integers;
  return format_.type == PixelType::f64 ? Kind::doubles : Kind::floats;
}

Batch CodedUpload::batch() const {
  Batch batch;
  batch.count = static_cast<std::int64_t>(coded_.tiles.size());
  batch.across = (shape_.nx - 1) / coded_.tile.nx + 1;
  batch.tile_ny = coded_.tile.ny;
  batch.tile_nx = coded_.tile.nx;
  batch.ny = shape_.ny;
  batch.nx = shape_.nx;
  batch.block = static_cast<std::int32_t>(coded_.block);
  batch.dither = dithers() ? coded_.dither : fits::Dither::none;
  batch.first_random = static_cast<std::int32_t>(coded_.first_random);
  batch.scale = format_.scale;
  batch.zero = format_.zero;
  batch.has_blank = format_.blank.has_value();
  batch.blank = format_.blank.value_or(0);
  return batch;
}

std::int64_t CodedUpload::pixels_of(std::int64_t tile) const {
  const std::int64_t across = (shape_.nx - 1) / coded_.tile.nx + 1;
  return std::min(coded_.tile.ny, shape_.ny - tile / across * coded_.tile.ny) *
         std::min(coded_.tile.nx, shape_.nx - tile % across * coded_.tile.nx);
}

/// Of doubles, what is infinite stays so: it is counted where it is stored.
void CodedUpload::make_plain(std::int64_t tile, std::byte* out) const {
  const std::int64_t count = pixels_of(tile);
  std::vector<double> stored(static_cast<std::size_t>(count));  // room for either type
  auto* const bytes = reinterpret_cast<std::byte*>(stored.data());
  source_.read_tile(tile, bytes);
  for (std::int64_t i = 0; i < count; ++i) {
    float value = 0;
    if (kind() == Kind::doubles) {
      const double exact = stored[static_cast<std::size_t>(i)];
      value = std::isinf(exact) ? static_cast<float>(exact) : rules::decode(exact, 1, 0);
    } else {
      std::memcpy(&value, bytes + i * static_cast<std::int64_t>(sizeof value), sizeof value);
    }
    const std::uint32_t word = swapped(std::bit_cast<std::uint32_t>(value));
    std::memcpy(out + i * static_cast<std::int64_t>(sizeof word), &word, sizeof word);
  }
}

}  // namespace reber::rice
