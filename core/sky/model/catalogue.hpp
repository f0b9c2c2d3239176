// SPDX-License-Identifier: BSD-3-Clause
// A table of sources: columns as arrays, each with its unit, type, UCD and meaning.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace reber {

/// What a column is called and means. Every writer and the column documentation are made from this.
struct ColumnInfo {
  std::string name;  ///< PyBDSF's name where it has one
  std::string unit;  ///< FITS unit string, empty for none
  std::string ucd;   ///< UCD1+ word, for VOTable
  std::string text;  ///< one line on what it holds
};

/// One column. NaN is "no value" in a column of doubles.
struct Column {
  ColumnInfo info;
  std::variant<std::vector<double>, std::vector<std::int64_t>, std::vector<std::string>> values;
};

/// Rows in a fixed order (by the peak's y, then x). Every column has the same number of rows.
struct Catalogue {
  std::vector<Column> columns;
  std::string frame;  ///< celestial frame of RA and DEC, as Wcs::frame_name(); empty without positions
  double equinox = std::numeric_limits<double>::quiet_NaN();       ///< years; NaN where the frame has none
  double frequency_hz = std::numeric_limits<double>::quiet_NaN();  ///< NaN where unknown
  std::vector<std::string> history;                                ///< how it was made: version, input, every parameter
  std::string image;            ///< path of the image; empty for a table that is of none
  bool short_integers = false;  ///< 32 bits in FITS tables, for readers that want other tools' types

  [[nodiscard]] std::int64_t rows() const;
  /// The column of that name, or null.
  [[nodiscard]] const Column* find(const std::string& name) const;
};

}  // namespace reber
