// SPDX-License-Identifier: BSD-3-Clause
// Only what the standard describes and encoders write is taken. All else keeps the meaning that CFITSIO gives it.
#include "core/files/fits/rice_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <string>

namespace reber::fits {
namespace {

constexpr std::int64_t kMostSeed = 10'000;

/// An integer in [low, high]; `standard` where there is no such card, empty where it says something else.
std::optional<std::int64_t> integer(const CardTable& cards, const std::string& keyword, std::int64_t low,
                                    std::int64_t high, std::optional<std::int64_t> standard) {
  if (!cards.has(keyword)) return standard;
  const auto value = cards.integer(keyword);
  return value && *value >= low && *value <= high ? value : std::nullopt;
}

/// Cards that stand twice, or that give the table's columns another meaning.
bool unusual(const CardTable& cards) {
  for (const std::string& keyword : cards.duplicates()) {
    const std::string stem = split_number(keyword).first;
    for (const char* used : {"ZNAME", "ZVAL", "ZQUANTIZ", "ZDITHER", "ZBLANK", "BLANK", "ZSCALE", "ZZERO", "BSCALE",
                             "BZERO", "TSCAL", "TZERO", "TNULL"})
      if (stem == used) return true;
  }
  const std::int64_t fields = cards.integer("TFIELDS").value_or(0);
  for (std::int64_t i = 1; i <= fields; ++i)
    for (const char* stem : {"TSCAL", "TZERO", "TNULL"})
      if (cards.has(fmt::format("{}{}", stem, i))) return true;
  return cards.has("ZSCALE") || cards.has("ZZERO");
}

bool read_coding(const CardTable& cards, RiceHeader& rice) {
  if (cards.string("ZNAME1").value_or("BLOCKSIZE") != "BLOCKSIZE") return false;
  if (cards.string("ZNAME2").value_or("BYTEPIX") != "BYTEPIX") return false;
  const auto block = integer(cards, "ZVAL1", 1, std::numeric_limits<std::int32_t>::max(), std::nullopt);
  const auto bytes = integer(cards, "ZVAL2", 1, 4, 4);
  if (!block || !bytes || *bytes == 3) return false;
  rice.block = *block;
  rice.pixel_bytes = static_cast<int>(*bytes);
  return true;
}

bool read_streams(const TileLayout& layout, RiceHeader& rice) {
  bool found = false;
  for (const TileColumn& column : layout.columns) {
    if (column.code != 'B') return false;
    if (column.name == "COMPRESSED_DATA") {
      if (found) return false;
      rice.stream = column;
      found = true;
    } else if (column.name == "GZIP_COMPRESSED_DATA") {
      if (rice.gzip) return false;
      rice.gzip = column;
    } else {
      return false;
    }
  }
  return found;
}

/// ZBLANK, else BLANK: of the integers that are coded.   returns false where it is none of them
bool read_blank(const CardTable& cards, int pixel_bytes, std::optional<std::int32_t>& blank) {
  const char* const keyword = cards.has("ZBLANK") ? "ZBLANK" : "BLANK";
  if (!cards.has(keyword)) return true;
  std::int64_t low = std::numeric_limits<std::int32_t>::min(), high = std::numeric_limits<std::int32_t>::max();
  if (pixel_bytes == 1) low = 0, high = std::numeric_limits<std::uint8_t>::max();
  if (pixel_bytes == 2) low = std::numeric_limits<std::int16_t>::min(), high = std::numeric_limits<std::int16_t>::max();
  const auto value = integer(cards, keyword, low, high, std::nullopt);
  if (value) blank = static_cast<std::int32_t>(*value);
  return value.has_value();
}

bool read_integers(const Hdu& hdu, const PixelFormat& plain, RiceHeader& rice) {
  if (hdu.bitpix == 64 || hdu.cards.has("ZQUANTIZ") || !hdu.layout.values.empty()) return false;
  std::optional<std::int32_t> blank;
  if (!read_blank(hdu.cards, rice.pixel_bytes, blank)) return false;
  rice.format.type = rice.pixel_bytes == 1 ? PixelType::u8 : rice.pixel_bytes == 2 ? PixelType::i16 : PixelType::i32;
  rice.format.scale = plain.scale;
  rice.format.zero = plain.zero;
  if (blank) rice.format.blank = *blank;
  return true;
}

bool read_quantisation(const Hdu& hdu, const PixelFormat& plain, RiceHeader& rice) {
  const CardTable& cards = hdu.cards;
  if (rice.pixel_bytes != 4) return false;
  const std::string method = cards.string("ZQUANTIZ").value_or("NO_DITHER");
  if (method == "SUBTRACTIVE_DITHER_1")
    rice.dither = Dither::subtractive_1;
  else if (method == "SUBTRACTIVE_DITHER_2")
    rice.dither = Dither::subtractive_2;
  else if (method != "NO_DITHER")
    return false;
  const auto seed = integer(cards, "ZDITHER0", 1, kMostSeed, 1);
  if (!seed || !read_blank(cards, rice.pixel_bytes, rice.blank)) return false;
  rice.seed = *seed;
  bool scale = false, zero = false;
  for (const ValueColumn& column : hdu.layout.values) {
    if (column.repeat != 1) return false;
    if (column.name == "ZSCALE" && column.code == 'D' && !scale) {
      rice.scale_offset = column.offset;
      scale = true;
    } else if (column.name == "ZZERO" && column.code == 'D' && !zero) {
      rice.zero_offset = column.offset;
      zero = true;
    } else if (column.name == "ZBLANK" && column.code == 'J' && !rice.blank_offset) {
      rice.blank_offset = column.offset;
    } else {
      return false;
    }
  }
  rice.quantised = true;
  rice.scale = plain.scale;
  rice.zero = plain.zero;
  rice.format.type = hdu.bitpix == -32 ? PixelType::f32 : PixelType::f64;
  return scale && zero;
}

}  // namespace

std::optional<RiceHeader> read_rice_header(const Hdu& hdu, const PixelFormat& plain, int x_axis, int y_axis) {
  const TileLayout& layout = hdu.layout;
  if (hdu.kind != Hdu::Kind::compressed || x_axis != 0 || y_axis != 1) return std::nullopt;
  if (layout.algorithm != "RICE_1" && layout.algorithm != "RICE_ONE") return std::nullopt;
  const bool flat =
      std::all_of(layout.tile.begin() + 2, layout.tile.end(), [](std::int64_t side) { return side == 1; });
  RiceHeader rice;
  rice.format.big_endian = std::endian::native == std::endian::big;
  if (!flat || unusual(hdu.cards) || !read_coding(hdu.cards, rice) || !read_streams(layout, rice)) return std::nullopt;
  const bool known = hdu.bitpix > 0 ? read_integers(hdu, plain, rice) : read_quantisation(hdu, plain, rice);
  return known ? std::optional(rice) : std::nullopt;
}

}  // namespace reber::fits
