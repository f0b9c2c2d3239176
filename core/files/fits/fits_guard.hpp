// SPDX-License-Identifier: BSD-3-Clause
// Looks through every header of a FITS file and checks what it promises, before any library sees the file: CFITSIO can
// be crashed by headers alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/files/io/byte_source.hpp"
#include "core/sky/model/fits_cards.hpp"

namespace reber::fits {

/// Largest NAXIS that is read.
inline constexpr int kMaxAxes = 9;
/// Largest ZNAXIS that CFITSIO holds.
inline constexpr int kMaxCompressedAxes = 6;

/// One column of variable-length tiles in a compressed image's table.
struct TileColumn {
  std::string name;
  std::int64_t offset = 0;  ///< of the descriptor in a row
  bool wide = false;        ///< Q (64-bit) descriptor
  int element_bytes = 1;
  char code = 'B';  ///< of TFORMn: the type of its elements
};

/// One column whose values stand in the rows themselves.
struct ValueColumn {
  std::string name;
  std::int64_t offset = 0;  ///< in a row
  std::int64_t repeat = 1;
  char code = 'D';  ///< of TFORMn
};

/// How a tile-compressed image lies in its table.
struct TileLayout {
  std::string algorithm;           ///< ZCMPTYPE
  std::vector<std::int64_t> tile;  ///< ZTILEn
  std::int64_t tiles = 0;
  std::int64_t row_bytes = 0;
  std::int64_t heap_offset = 0;  ///< from the start of the file
  std::int64_t heap_bytes = 0;
  std::vector<TileColumn> columns;
  std::vector<ValueColumn> values;
};

/// One header-data unit.
struct Hdu {
  enum class Kind { empty, image, compressed, groups, binary_table, ascii_table, other };

  int index = 0;
  Kind kind = Kind::empty;
  CardTable cards;
  std::int64_t header_offset = 0;
  std::int64_t data_offset = 0;
  std::int64_t data_bytes = 0;     ///< without padding
  int bitpix = 0;                  ///< ZBITPIX of a compressed image
  std::vector<std::int64_t> axes;  ///< ZNAXISn of a compressed image
  TileLayout layout;               ///< of a compressed image
  /// Why its pixels cannot be read; empty where they can.
  std::string problem;
};

struct Scan {
  std::vector<Hdu> hdus;
  std::vector<std::string> warnings;
  /// Why the scan ended before the end of the file; the HDUs before that are good.
  std::string stopped;
};

/// Reads all headers.   name: of the file, for messages
///   throws DataError where the file does not begin as FITS, or the first header is damaged
[[nodiscard]] Scan scan(const ByteSource& bytes, const std::string& name);

/// Number of elements; empty where the product does not fit 63 bits.
[[nodiscard]] std::optional<std::int64_t> product(const std::vector<std::int64_t>& axes);

/// The cards that the image would have if it were not compressed: Z keywords in their plain form, table keywords gone.
[[nodiscard]] std::string plain_cards(const Hdu& hdu);

}  // namespace reber::fits
