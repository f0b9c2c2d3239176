// SPDX-License-Identifier: BSD-3-Clause
// The readers of catalogue formats, and what they share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/files/catalogue/catalogue_reader.hpp"
#include "core/files/io/byte_source.hpp"
#include "core/sky/model/catalogue.hpp"

namespace reber {

/// name: of the file, for messages.   throw DataError, Cancelled
[[nodiscard]] Catalogue read_catalogue_fits(const fits::ByteSource& bytes, const std::string& name,
                                            const ReadLimits& limits);
[[nodiscard]] Catalogue read_catalogue_votable(std::string_view text, const std::string& name,
                                               const Progress& progress);
[[nodiscard]] Catalogue read_catalogue_text(std::string_view text, const std::string& name, const Progress& progress);

/// throws DataError where a table takes more
void check_table_memory(double bytes, std::int64_t most, const std::string& name);

/// Looks at the wish to stop every so many rows or tags.
class NowAndThen {
 public:
  explicit NowAndThen(const Progress& progress) : progress_(progress) {}
  /// throws Cancelled
  void check() {
    if ((++count_ & 0xfff) == 0) progress_.check();
  }

 private:
  const Progress& progress_;
  unsigned count_ = 0;
};

/// A column of cells as written. Numbers where every cell is one or says "no value" (empty, NaN, null, N/A, --, ***);
/// whole ones are int64 where none is missing. as_text: stay text.
[[nodiscard]] Column column_of_cells(ColumnInfo info, std::vector<std::string> cells, bool as_text = false);

/// How one column's cells lie in binary rows.
struct BinaryField {
  /// L logical, B unsigned byte, I J K integers of 2, 4 and 8 bytes, E D floats, A characters.
  char type = 'D';
  std::int64_t bytes = 8;  ///< of the cell
  double scale = 1, zero = 0;
  bool has_null = false;
  std::int64_t null = 0;  ///< stored integer that means "no value"
};

/// Collects the cells of one binary column, big-endian.
class BinaryColumn {
 public:
  explicit BinaryColumn(BinaryField field) : field_(field) {}
  /// cell: field.bytes bytes, or any number for text.
  void add(const char* cell, std::int64_t bytes);
  void add_missing();
  [[nodiscard]] Column finish(ColumnInfo info);

 private:
  BinaryField field_;
  bool whole_ = true;  ///< no fraction and no missing value so far
  std::vector<double> reals_;
  std::vector<std::int64_t> integers_;
  std::vector<std::string> texts_;
};

/// Without blanks, tabs and line ends around it.
[[nodiscard]] std::string_view trimmed(std::string_view text);
[[nodiscard]] std::string lower_case(std::string_view text);

}  // namespace reber
