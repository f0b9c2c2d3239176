// SPDX-License-Identifier: BSD-3-Clause
// Neighbouring tiles lie side by side in the heap: one read fetches those of a band.
#include "core/files/fits/rice_plane.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/base/error.hpp"
#include "core/files/fits/tile_guard.hpp"
#include "core/files/tiles/gzip_floats.hpp"
#include "core/files/tiles/quantised_rule.hpp"
#include "core/files/tiles/rice_decoder.hpp"

namespace reber::fits {
namespace {

/// Streams of so many bytes are read at once.
constexpr std::int64_t kReadBytes = std::int64_t{1} << 20;

template <class Value>
Value big_endian_at(const unsigned char* bytes) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < sizeof(Value); ++i) word = word << 8 | bytes[i];
  if constexpr (sizeof(Value) == 4)
    return std::bit_cast<Value>(static_cast<std::uint32_t>(word));
  else
    return std::bit_cast<Value>(word);
}

/// The memory, at least so large; its old bytes are lost.
template <class Byte>
Byte* room(std::vector<Byte>& memory, std::int64_t bytes) {
  if (memory.size() < static_cast<std::size_t>(bytes)) memory.resize(static_cast<std::size_t>(bytes));
  return memory.data();
}

}  // namespace

RicePlane::RicePlane(const ByteSource& bytes, const Hdu& hdu, const RiceHeader& rice, std::int64_t plane,
                     std::string name)
    : bytes_(bytes),
      rice_(rice),
      name_(std::move(name)),
      hdu_(hdu.index),
      heap_offset_(hdu.layout.heap_offset),
      heap_bytes_(hdu.layout.heap_bytes),
      shape_{hdu.axes[1], hdu.axes[0]},
      tile_{hdu.layout.tile[1], hdu.layout.tile[0]} {
  constexpr std::int64_t kRowsAtOnce = 4096;
  const std::int64_t count = across() * stripes(), row_bytes = hdu.layout.row_bytes;
  first_tile_ = plane * count;
  begin_ = heap_bytes_;
  if (count > hdu.layout.tiles - first_tile_) throw InternalError("a plane of tiles outside the table");
  tiles_.reserve(static_cast<std::size_t>(count));
  std::vector<unsigned char> rows;
  for (std::int64_t at = 0; at < count; at += kRowsAtOnce) {
    const std::int64_t here = std::min(kRowsAtOnce, count - at);
    bytes.read(hdu.data_offset + (first_tile_ + at) * row_bytes, room(rows, here * row_bytes), here * row_bytes);
    for (std::int64_t i = 0; i < here; ++i) {
      tiles_.push_back(read_tile(rows.data() + i * row_bytes));
      complete_ = complete_ && tiles_.back().bytes > 0;
      begin_ = std::min(begin_, tiles_.back().offset);
    }
  }
}

RicePlane::Tile RicePlane::read_tile(const unsigned char* row) const {
  TileDescriptor at = descriptor_of(row, rice_.stream);
  Tile tile;
  if (at.bytes == 0 && rice_.quantised && rice_.gzip) {
    at = descriptor_of(row, *rice_.gzip);
    tile.gzip = true;
  }
  if (at.offset < 0 || at.bytes < 0 || at.offset > heap_bytes_ || at.bytes > heap_bytes_ - at.offset)
    throw DataError(fmt::format("'{}', HDU {}: a tile's descriptor lies outside the heap", name_, hdu_));
  tile.offset = at.offset;
  tile.bytes = at.bytes;
  if (!rice_.quantised) return tile;
  tile.blank = rice_.blank;
  if (rice_.blank_offset) tile.blank = big_endian_at<std::int32_t>(row + *rice_.blank_offset);
  tile.scale = big_endian_at<double>(row + rice_.scale_offset);
  tile.zero = big_endian_at<double>(row + rice_.zero_offset);
  // As CFITSIO: floats may have BSCALE and BZERO besides.
  if (rice_.scale != 1 || rice_.zero != 0) {
    tile.zero = tile.zero * rice_.scale + rice_.zero;
    tile.scale *= rice_.scale;
  }
  if (tile.scale == 1 && tile.zero == 0) {
    tile.scale = rice_.scale;
    tile.zero = rice_.zero;
  }
  return tile;
}

std::int64_t RicePlane::stripe_rows(std::int64_t stripe) const {
  return std::min(tile_.ny, shape_.ny - stripe * tile_.ny);
}

Shape RicePlane::shape_of(std::int64_t index) const {
  return {stripe_rows(index / across()), std::min(tile_.nx, shape_.nx - index % across() * tile_.nx)};
}

RicePlane::Span RicePlane::span_of(std::int64_t first, std::int64_t last) const {
  Span span{heap_bytes_, 0};
  std::int64_t wanted = 0;
  for (std::int64_t i = first; i < last; ++i) {
    const Tile& tile = tiles_[static_cast<std::size_t>(i)];
    span.begin = std::min(span.begin, tile.offset);
    span.end = std::max(span.end, tile.offset + tile.bytes);
    wanted += tile.bytes;
  }
  return span.end - span.begin <= wanted + wanted / 2 ? span : Span{};
}

std::int64_t RicePlane::random_of(std::int64_t index) const {
  return (rice_.seed - 1 + first_tile_ + index) % kDitherRandoms;
}

bool RicePlane::decode(std::int64_t index, const unsigned char* stream, std::byte* out, RiceScratch& scratch) const {
  const Tile& tile = tiles_[static_cast<std::size_t>(index)];
  const std::int64_t count = shape_of(index).count();
  const auto size = static_cast<std::size_t>(tile.bytes);
  const bool single = rice_.format.type == PixelType::f32;
  if (tile.gzip)
    return single ? inflate_numbers(stream, size, count, reinterpret_cast<float*>(out))
                  : inflate_numbers(stream, size, count, reinterpret_cast<double*>(out));
  if (rice_.pixel_bytes == 1)
    return rice_decode(stream, size, rice_.block, count, reinterpret_cast<std::uint8_t*>(out));
  if (rice_.pixel_bytes == 2)
    return rice_decode(stream, size, rice_.block, count, reinterpret_cast<std::uint16_t*>(out));
  if (!rice_.quantised) return rice_decode(stream, size, rice_.block, count, reinterpret_cast<std::uint32_t*>(out));
  std::byte* const coded = room(scratch.integers, 4 * count);
  if (!rice_decode(stream, size, rice_.block, count, reinterpret_cast<std::uint32_t*>(coded))) return false;
  const Quantisation how{tile.scale, tile.zero, tile.blank, rice_.dither, random_of(index)};
  const auto* const integers = reinterpret_cast<const std::int32_t*>(coded);
  if (single)
    from_quantised(integers, count, how, reinterpret_cast<float*>(out));
  else
    from_quantised(integers, count, how, reinterpret_cast<double*>(out));
  return true;
}

void RicePlane::place(std::int64_t index, const unsigned char* stream, std::byte* out, RiceScratch& scratch) const {
  const std::int64_t size = bytes_of(rice_.format.type);
  const Shape shape = shape_of(index);
  const bool aligned = reinterpret_cast<std::uintptr_t>(out) % static_cast<std::uintptr_t>(size) == 0;
  if (shape.nx == shape_.nx && aligned) {
    if (!decode(index, stream, out, scratch)) refuse(index);
    return;
  }
  const std::byte* const made = room(scratch.pixels, shape.count() * size);
  if (!decode(index, stream, scratch.pixels.data(), scratch)) refuse(index);
  for (std::int64_t y = 0; y < shape.ny; ++y)
    std::memcpy(out + y * shape_.nx * size, made + y * shape.nx * size, static_cast<std::size_t>(shape.nx * size));
}

void RicePlane::read_and_place(std::int64_t index, std::byte* out, RiceScratch& scratch) const {
  const Tile& tile = tiles_[static_cast<std::size_t>(index)];
  unsigned char* const stream = room(scratch.streams, tile.bytes + static_cast<std::int64_t>(kRicePadding));
  bytes_.read(heap_offset_ + tile.offset, stream, tile.bytes);
  place(index, stream, out, scratch);
}

void RicePlane::decode_stripes(std::int64_t first, std::int64_t last, std::byte* out, RiceScratch& scratch) const {
  const std::int64_t size = bytes_of(rice_.format.type), begin = first * across(), end = last * across();
  const auto to = [&](std::int64_t index) {
    return out + ((index / across() - first) * tile_.ny * shape_.nx + index % across() * tile_.nx) * size;
  };
  for (std::int64_t i = begin; i < end;) {
    std::int64_t next = i, bytes = 0;
    while (next < end && (next == i || bytes < kReadBytes)) bytes += tiles_[static_cast<std::size_t>(next++)].bytes;
    const Span span = span_of(i, next);
    if (span.end > span.begin) {
      unsigned char* const streams =
          room(scratch.streams, span.end - span.begin + static_cast<std::int64_t>(kRicePadding));
      bytes_.read(heap_offset_ + span.begin, streams, span.end - span.begin);
      for (; i < next; ++i)
        place(i, streams + (tiles_[static_cast<std::size_t>(i)].offset - span.begin), to(i), scratch);
    } else {
      for (; i < next; ++i) read_and_place(i, to(i), scratch);
    }
  }
}

void RicePlane::decode_tile(std::int64_t index, std::byte* plane, RiceScratch& scratch) const {
  const std::int64_t y = index / across() * tile_.ny, x = index % across() * tile_.nx;
  read_and_place(index, plane + (y * shape_.nx + x) * bytes_of(rice_.format.type), scratch);
}

void RicePlane::decode_alone(std::int64_t index, std::byte* out, RiceScratch& scratch) const {
  const Tile& tile = tiles_[static_cast<std::size_t>(index)];
  unsigned char* const stream = room(scratch.streams, tile.bytes + static_cast<std::int64_t>(kRicePadding));
  bytes_.read(heap_offset_ + tile.offset, stream, tile.bytes);
  if (!decode(index, stream, out, scratch)) refuse(index);
}

std::optional<CodedPlane> RicePlane::coded() const {
  const Span span = span_of(0, across() * stripes());
  if (span.end <= span.begin) return std::nullopt;
  CodedPlane plane;
  plane.tile = tile_;
  plane.pixel_bytes = rice_.pixel_bytes;
  plane.block = rice_.block;
  plane.quantised = rice_.quantised;
  plane.dither = rice_.dither;
  plane.first_random = random_of(0);
  plane.stream_bytes = span.end - span.begin;
  plane.tiles.reserve(tiles_.size());
  for (const Tile& tile : tiles_)
    plane.tiles.push_back({tile.offset - span.begin, tile.bytes, !tile.gzip, tile.scale, tile.zero, tile.blank});
  return plane;
}

void RicePlane::read_streams(std::int64_t offset, std::int64_t count, std::byte* out) const {
  bytes_.read(heap_offset_ + begin_ + offset, out, count);
}

void RicePlane::will_need(std::int64_t first, std::int64_t last) const {
  const Span span = span_of(first * across(), last * across());
  if (span.end > span.begin) bytes_.will_need(heap_offset_ + span.begin, span.end - span.begin);
}

void RicePlane::refuse(std::int64_t index) const {
  // Other threads are at earlier tiles: the first that is damaged is named, whoever met one.
  RiceScratch scratch;
  std::vector<std::byte> pixels(static_cast<std::size_t>(tile_.count() * bytes_of(rice_.format.type)));
  std::int64_t first = 0;
  for (; first < index; ++first) {
    const Tile& tile = tiles_[static_cast<std::size_t>(first)];
    std::vector<unsigned char> stream(static_cast<std::size_t>(tile.bytes) + kRicePadding);
    bytes_.read(heap_offset_ + tile.offset, stream.data(), tile.bytes);
    if (!decode(first, stream.data(), pixels.data(), scratch)) break;
  }
  throw DataError(fmt::format("'{}', HDU {}, tile {}: decompression fails: its {} stream is damaged or cut short",
                              name_, hdu_, first_tile_ + first + 1,
                              tiles_[static_cast<std::size_t>(first)].gzip ? "GZIP" : "RICE_1"));
}

}  // namespace reber::fits
