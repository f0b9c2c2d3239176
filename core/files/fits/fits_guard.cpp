// SPDX-License-Identifier: BSD-3-Clause
// The pre-scan of FITS headers.
#include "core/files/fits/fits_guard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "core/base/error.hpp"
#include "core/files/fits/tile_guard.hpp"

namespace reber::fits {
namespace {

/// A header longer than this many blocks (29 MB) is taken to have no END.
constexpr int kMaxHeaderBlocks = 10000;

/// Reads cards from `offset` up to END; returns them and moves `offset` behind the header's last block.
std::string read_header(const ByteSource& bytes, std::int64_t& offset, const std::string& where) {
  std::string cards;
  std::string block(kBlockBytes, '\0');
  for (int blocks = 0; blocks < kMaxHeaderBlocks; ++blocks) {
    const std::int64_t left = bytes.size() - offset;
    if (left < kCardBytes) {
      throw DataError(fmt::format("{}: the header has no END card (the file is truncated in the header)", where));
    }
    const auto count = std::min<std::int64_t>(kBlockBytes, left) / kCardBytes * kCardBytes;
    bytes.read(offset, block.data(), count);
    for (std::int64_t at = 0; at < count; at += kCardBytes) {
      if (std::memcmp(block.data() + at, "END     ", 8) == 0) {
        offset += kBlockBytes;
        return cards;
      }
      cards.append(block, static_cast<std::size_t>(at), kCardBytes);
    }
    offset += kBlockBytes;
  }
  throw DataError(fmt::format("{}: no END card within {} blocks of header", where, kMaxHeaderBlocks));
}

/// An integer keyword that must be there and lie in [low, high].
std::int64_t required(const CardTable& cards, const std::string& keyword, std::int64_t low, std::int64_t high,
                      const std::string& where) {
  if (!cards.has(keyword)) throw DataError(fmt::format("{}: the header has no {}", where, keyword));
  const auto value = cards.integer(keyword);
  if (!value) {
    throw DataError(fmt::format("{}: {}={} is not an integer of at most 64 bits", where, keyword,
                                restrict_to_ascii(cards.raw(keyword))));
  }
  if (*value < low || *value > high) {
    throw DataError(fmt::format("{}: {}={} lies outside [{}, {}]", where, keyword, *value, low, high));
  }
  return *value;
}

void read_shape(Hdu& hdu, const std::string& where) {
  const CardTable& cards = hdu.cards;
  hdu.bitpix = static_cast<int>(required(cards, "BITPIX", -64, 64, where));
  const int known[] = {8, 16, 32, 64, -32, -64};
  if (std::find(std::begin(known), std::end(known), hdu.bitpix) == std::end(known)) {
    throw DataError(fmt::format("{}: BITPIX={} is none of 8, 16, 32, 64, -32, -64", where, hdu.bitpix));
  }
  const std::int64_t naxis = required(cards, "NAXIS", 0, 999, where);
  if (naxis > kMaxAxes) {
    throw DataError(fmt::format("{}: NAXIS={}, and images of at most {} axes are read", where, naxis, kMaxAxes));
  }
  for (std::int64_t i = 1; i <= naxis; ++i) {
    hdu.axes.push_back(required(cards, fmt::format("NAXIS{}", i), 0, INT64_MAX, where));
  }
}

/// Bytes of the data part, by the standard's formula |BITPIX| GCOUNT (PCOUNT + NAXIS1 ... NAXISn) / 8.
std::int64_t data_size(const Hdu& hdu, bool primary, const std::string& where) {
  std::int64_t parameters = 0, groups = 1;
  if (hdu.cards.has("PCOUNT")) parameters = required(hdu.cards, "PCOUNT", 0, INT64_MAX, where);
  if (hdu.cards.has("GCOUNT")) groups = required(hdu.cards, "GCOUNT", 0, INT64_MAX, where);
  if (hdu.axes.empty()) return 0;
  std::vector<std::int64_t> axes = hdu.axes;
  if (hdu.kind == Hdu::Kind::groups) {
    axes.erase(axes.begin());
  } else if (primary) {
    // In a primary array that is not random groups the two keywords mean nothing.
    parameters = 0;
    groups = 1;
  }
  const auto elements = product(axes);
  std::int64_t total = 0;
  if (!elements || __builtin_add_overflow(*elements, parameters, &total) ||
      __builtin_mul_overflow(total, groups, &total) ||
      __builtin_mul_overflow(total, static_cast<std::int64_t>(std::abs(hdu.bitpix) / 8), &total) ||
      total > INT64_MAX - 2 * kBlockBytes) {
    throw DataError(fmt::format("{}: NAXIS overflow: the product of NAXIS1 to NAXIS{} does not fit 63 bits", where,
                                hdu.axes.size()));
  }
  return total;
}

Hdu::Kind kind_of(const CardTable& cards, int index, int naxis) {
  if (index == 0) {
    if (cards.is_true("GROUPS") && cards.integer("NAXIS1") == 0) return Hdu::Kind::groups;
    return naxis == 0 ? Hdu::Kind::empty : Hdu::Kind::image;
  }
  const std::string type = cards.string("XTENSION").value_or("");
  if (type == "IMAGE" || type == "IUEIMAGE") return naxis == 0 ? Hdu::Kind::empty : Hdu::Kind::image;
  if (type == "BINTABLE" || type == "A3DTABLE") {
    return cards.is_true("ZIMAGE") ? Hdu::Kind::compressed : Hdu::Kind::binary_table;
  }
  if (type == "TABLE") return Hdu::Kind::ascii_table;
  return Hdu::Kind::other;
}

void check_start(const ByteSource& bytes, const std::string& name) {
  char head[30] = {};
  bytes.read(0, head, std::min<std::int64_t>(bytes.size(), 30));
  if (bytes.size() < 30 || std::memcmp(head, "SIMPLE  =", 9) != 0) {
    throw DataError(fmt::format("'{}' is not a FITS file (no SIMPLE)", name));
  }
}

/// Parses the HDU that begins at `offset` and moves it behind the HDU's last block.
Hdu read_hdu(const ByteSource& bytes, int index, std::int64_t& offset, const std::string& name) {
  const std::string where = fmt::format("'{}', HDU {}", name, index);
  Hdu hdu;
  hdu.index = index;
  hdu.header_offset = offset;
  hdu.cards = CardTable(read_header(bytes, offset, where));
  if (index == 0 && !hdu.cards.is_true("SIMPLE")) {
    throw DataError(fmt::format("'{}' says SIMPLE={}: it does not claim to follow the FITS standard", name,
                                restrict_to_ascii(hdu.cards.raw("SIMPLE"))));
  }
  read_shape(hdu, where);
  for (const std::string& keyword : hdu.cards.duplicates()) {
    const std::string stem = split_number(keyword).first;
    for (const char* fixed : {"BITPIX", "NAXIS", "PCOUNT", "GCOUNT", "GROUPS", "XTENSION", "ZIMAGE", "ZCMPTYPE",
                              "ZBITPIX", "ZNAXIS", "ZTILE", "TFIELDS", "TFORM", "TTYPE", "THEAP"}) {
      if (stem == fixed) throw DataError(fmt::format("{}: {} stands twice with different values", where, keyword));
    }
  }
  hdu.kind = kind_of(hdu.cards, index, static_cast<int>(hdu.axes.size()));
  hdu.data_offset = offset;
  hdu.data_bytes = data_size(hdu, index == 0, where);
  if (hdu.kind == Hdu::Kind::groups) hdu.problem = "random groups (GROUPS=T), which hold no image";
  if (hdu.kind == Hdu::Kind::image) {
    for (std::size_t i = 0; i < hdu.axes.size(); ++i) {
      if (hdu.axes[i] == 0) hdu.problem = fmt::format("NAXIS{}=0: it has no pixels", i + 1);
    }
    if (hdu.axes.size() == 1) hdu.problem = "NAXIS=1 (2-D image wanted)";
  }
  if (hdu.kind == Hdu::Kind::compressed) read_tile_layout(hdu);
  const std::int64_t found = std::max<std::int64_t>(0, bytes.size() - offset);
  if (hdu.data_bytes > found) {
    hdu.problem = fmt::format("truncated data (expected {} bytes, found {})", hdu.data_bytes, found);
  }
  offset += (hdu.data_bytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
  return hdu;
}

}  // namespace

std::optional<std::int64_t> product(const std::vector<std::int64_t>& axes) {
  std::int64_t total = 1;
  for (const std::int64_t n : axes) {
    if (n < 0 || __builtin_mul_overflow(total, n, &total)) return std::nullopt;
  }
  return total;
}

Scan scan(const ByteSource& bytes, const std::string& name) {
  check_start(bytes, name);
  Scan found;
  std::int64_t offset = 0;
  while (offset < bytes.size()) {
    const int index = static_cast<int>(found.hdus.size());
    if (index > 0) {
      char head[9] = {};
      bytes.read(offset, head, std::min<std::int64_t>(9, bytes.size() - offset));
      if (std::memcmp(head, "XTENSION=", 9) != 0) {
        found.warnings.push_back(
            fmt::format("{} trailing bytes after the last HDU are not read", bytes.size() - offset));
        break;
      }
    }
    try {
      found.hdus.push_back(read_hdu(bytes, index, offset, name));
    } catch (const DataError& error) {
      if (index == 0) throw;
      found.stopped = error.what();
      break;
    }
    const Hdu& last = found.hdus.back();
    if (offset > bytes.size() && last.problem.empty()) {
      found.warnings.push_back(fmt::format("the last data block lacks {} bytes of padding", offset - bytes.size()));
    }
  }
  return found;
}

std::string plain_cards(const Hdu& hdu) {
  if (hdu.kind != Hdu::Kind::compressed) return hdu.cards.text();
  std::string out = make_text_card("XTENSION", "IMAGE");
  out += make_card("BITPIX", static_cast<std::int64_t>(hdu.bitpix));
  out += make_card("NAXIS", static_cast<std::int64_t>(hdu.axes.size()));
  for (std::size_t i = 0; i < hdu.axes.size(); ++i) out += make_card(fmt::format("NAXIS{}", i + 1), hdu.axes[i]);
  for (std::int64_t i = 0; i < hdu.cards.count(); ++i) {
    const std::string_view card = hdu.cards.card(i);
    const std::string keyword = keyword_of(card);
    const std::string stem = split_number(keyword).first;
    bool table = false;
    for (const char* word :
         {"XTENSION", "BITPIX", "NAXIS",    "PCOUNT",   "GCOUNT",   "TFIELDS",  "TTYPE",    "TFORM",    "TUNIT",
          "TDIM",     "TNULL",  "THEAP",    "ZIMAGE",   "ZSIMPLE",  "ZEXTEND",  "ZTENSION", "ZPCOUNT",  "ZGCOUNT",
          "ZBITPIX",  "ZNAXIS", "ZTILE",    "ZCMPTYPE", "ZNAME",    "ZVAL",     "ZBLANK",   "ZQUANTIZ", "ZDITHER",
          "ZSCALE",   "ZZERO",  "ZMASKCMP", "ZHECKSUM", "ZDATASUM", "CHECKSUM", "DATASUM"}) {
      table = table || stem == word;
    }
    const bool own_name = keyword == "EXTNAME" && hdu.cards.string("EXTNAME") == "COMPRESSED_IMAGE";
    if (!table && !own_name) out += card;
  }
  return out;
}

}  // namespace reber::fits
