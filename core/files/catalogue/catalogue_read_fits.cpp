// SPDX-License-Identifier: BSD-3-Clause
// Catalogues from FITS tables: rows are read by position once the headers have passed the guard.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "core/base/error.hpp"
#include "core/files/catalogue/catalogue_readers.hpp"
#include "core/files/fits/fits_guard.hpp"
#include "core/sky/model/sky_frames.hpp"

namespace reber {
namespace {

using fits::Hdu;

constexpr std::int64_t kMostColumns = 999;
constexpr std::int64_t kRowsAtOnce = 4096;

/// TFORM of a binary table, rT: repeat and type.
struct Form {
  std::int64_t repeat = 1;
  char type = ' ';
};

Form form_of(const std::string& text, const std::string& where) {
  Form form;
  std::size_t at = 0;
  while (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0) ++at;
  if (at > 0) {
    const auto [stop, error] = std::from_chars(text.data(), text.data() + at, form.repeat);
    if (error != std::errc() || form.repeat > (std::int64_t{1} << 40))
      throw DataError(
          fmt::format("{}: a repeat count that is too large in '{}'", where, fits::restrict_to_ascii(text)));
  }
  if (at >= text.size()) throw DataError(fmt::format("{}: no type in '{}'", where, fits::restrict_to_ascii(text)));
  form.type = static_cast<char>(std::toupper(static_cast<unsigned char>(text[at])));
  return form;
}

/// Bytes of a whole cell.
std::int64_t cell_bytes(const Form& form, const std::string& where) {
  switch (form.type) {
    case 'X':
      return (form.repeat + 7) / 8;
    case 'L':
    case 'B':
    case 'A':
      return form.repeat;
    case 'I':
      return 2 * form.repeat;
    case 'J':
    case 'E':
      return 4 * form.repeat;
    case 'K':
    case 'D':
    case 'C':
    case 'P':
      return 8 * form.repeat;
    case 'M':
    case 'Q':
      return 16 * form.repeat;
    default:
      throw DataError(fmt::format("{}: unknown type '{}'", where, fits::restrict_to_ascii({&form.type, 1})));
  }
}

/// One column that is kept.
struct Field {
  ColumnInfo info;
  std::int64_t offset = 0;  ///< in the row
  std::int64_t width = 0;
  BinaryField layout;
};

ColumnInfo info_of(const fits::CardTable& cards, int number) {
  const auto text = [&](const char* stem) { return cards.string(fmt::format("{}{}", stem, number)).value_or(""); };
  ColumnInfo info{text("TTYPE"), text("TUNIT"), text("TUCD"), text("TCOMM")};
  if (info.name.empty()) info.name = fmt::format("col{}", number);
  return info;
}

std::int64_t columns_of(const Hdu& hdu, const std::string& where) {
  const auto columns = hdu.cards.integer("TFIELDS");
  if (!columns || *columns < 0 || *columns > kMostColumns)
    throw DataError(fmt::format("{}: TFIELDS={} is no number of columns", where,
                                fits::restrict_to_ascii(hdu.cards.raw("TFIELDS"))));
  if (hdu.axes.size() != 2)
    throw DataError(fmt::format("{}: a table has two axes, this one {}", where, hdu.axes.size()));
  return *columns;
}

BinaryField scaling_of(const fits::CardTable& cards, int number) {
  BinaryField field;
  field.scale = cards.number(fmt::format("TSCAL{}", number)).value_or(1);
  field.zero = cards.number(fmt::format("TZERO{}", number)).value_or(0);
  if (const auto null = cards.integer(fmt::format("TNULL{}", number))) {
    field.has_null = true;
    field.null = *null;
  }
  return field;
}

std::vector<Field> binary_fields(const Hdu& hdu, const std::string& where) {
  const std::int64_t columns = columns_of(hdu, where);
  std::vector<Field> fields;
  std::int64_t offset = 0;
  for (int number = 1; number <= columns; ++number) {
    const std::string here = fmt::format("{}: TFORM{}", where, number);
    const Form form = form_of(hdu.cards.string(fmt::format("TFORM{}", number)).value_or(""), here);
    Field field{info_of(hdu.cards, number), offset, cell_bytes(form, here), scaling_of(hdu.cards, number)};
    field.layout.type = form.type;
    field.layout.bytes = field.width;
    offset += field.width;
    if (offset > hdu.axes[0])
      throw DataError(fmt::format("{}: the columns need more bytes than NAXIS1={}", where, hdu.axes[0]));
    const bool number_or_text = std::string_view("LBIJKED").find(form.type) != std::string_view::npos
                                    ? form.repeat == 1
                                    : form.type == 'A' && form.repeat > 0;
    if (number_or_text) fields.push_back(std::move(field));
  }
  return fields;
}

/// ASCII tables: TBCOLn and Aw, Iw, Fw.d, Ew.d, Dw.d.
std::vector<Field> ascii_fields(const Hdu& hdu, const std::string& where) {
  const std::int64_t columns = columns_of(hdu, where);
  std::vector<Field> fields;
  for (int number = 1; number <= columns; ++number) {
    const std::string form = hdu.cards.string(fmt::format("TFORM{}", number)).value_or("");
    const std::int64_t start = hdu.cards.integer(fmt::format("TBCOL{}", number)).value_or(0);
    std::int64_t width = 0;
    if (form.size() > 1) std::from_chars(form.data() + 1, form.data() + form.size(), width);
    if (start < 1 || width < 1 || width > hdu.axes[0] || start - 1 > hdu.axes[0] - width)
      throw DataError(fmt::format("{}: column {} (TFORM '{}', TBCOL {}) lies outside the rows of {} bytes", where,
                                  number, fits::restrict_to_ascii(form), start, hdu.axes[0]));
    Field field{info_of(hdu.cards, number), start - 1, width, {}};
    field.layout.type = form[0] == 'A' ? 'A' : 'D';
    fields.push_back(std::move(field));
  }
  return fields;
}

/// Calls row(bytes) for each row, in order.
template <class Row>
void for_each_row(const fits::ByteSource& bytes, const Hdu& hdu, const Progress& progress, Row row) {
  const std::int64_t row_bytes = hdu.axes[0], rows = hdu.axes[1];
  std::vector<char> block;
  for (std::int64_t first = 0; first < rows; first += kRowsAtOnce) {
    progress.check();
    const std::int64_t count = std::min(kRowsAtOnce, rows - first);
    block.resize(static_cast<std::size_t>(count * row_bytes));
    bytes.read(hdu.data_offset + first * row_bytes, block.data(), count * row_bytes);
    for (std::int64_t i = 0; i < count; ++i) row(block.data() + i * row_bytes);
  }
}

/// Cells are held as numbers twice, or as texts.
void check_memory(const Hdu& hdu, const std::vector<Field>& fields, const std::string& where, std::int64_t most) {
  constexpr double kNumber = 16, kText = 32;
  double row = 0;
  for (const Field& field : fields)
    row += field.layout.type == 'A' ? kText + static_cast<double>(field.width) : kNumber;
  check_table_memory(row * static_cast<double>(hdu.axes[1]), most, where);
}

std::vector<Column> read_binary(const fits::ByteSource& bytes, const Hdu& hdu, const std::string& where,
                                const ReadLimits& limits) {
  const std::vector<Field> fields = binary_fields(hdu, where);
  if (fields.empty()) return {};  // rows of no bytes could be any number
  check_memory(hdu, fields, where, limits.memory_bytes);
  std::vector<BinaryColumn> columns;
  for (const Field& field : fields) columns.emplace_back(field.layout);
  for_each_row(bytes, hdu, limits.progress, [&](const char* row) {
    for (std::size_t c = 0; c < fields.size(); ++c) columns[c].add(row + fields[c].offset, fields[c].width);
  });
  std::vector<Column> out;
  for (std::size_t c = 0; c < fields.size(); ++c) out.push_back(columns[c].finish(fields[c].info));
  return out;
}

std::vector<Column> read_ascii(const fits::ByteSource& bytes, const Hdu& hdu, const std::string& where,
                               const ReadLimits& limits) {
  const std::vector<Field> fields = ascii_fields(hdu, where);
  if (fields.empty()) return {};
  check_memory(hdu, fields, where, limits.memory_bytes);
  std::vector<std::vector<std::string>> cells(fields.size());
  for_each_row(bytes, hdu, limits.progress, [&](const char* row) {
    for (std::size_t c = 0; c < fields.size(); ++c) {
      std::string cell(trimmed({row + fields[c].offset, static_cast<std::size_t>(fields[c].width)}));
      if (fields[c].layout.type != 'A') std::ranges::replace(cell, 'D', 'E');
      cells[c].push_back(std::move(cell));
    }
  });
  std::vector<Column> out;
  for (std::size_t c = 0; c < fields.size(); ++c)
    out.push_back(column_of_cells(fields[c].info, std::move(cells[c]), fields[c].layout.type == 'A'));
  return out;
}

/// SKYFRAME, which Reber writes, else RADESYS; with EQUINOX, which may stand alone. "FK5 J2000" and the like.
void read_frame(const fits::CardTable& cards, Catalogue& catalogue) {
  const auto number = cards.number("EQUINOX");
  catalogue.equinox = number ? *number : equinox_of(cards.string("EQUINOX").value_or(""));
  for (const char* keyword : {"SKYFRAME", "RADESYS", "RADECSYS"})
    if (const auto frame = cards.string(keyword); frame && catalogue.frame.empty()) catalogue.frame = *frame;
  if (const auto system = system_named(catalogue.frame, catalogue.equinox)) catalogue.frame = name_of(*system);
}

}  // namespace

Catalogue read_catalogue_fits(const fits::ByteSource& bytes, const std::string& name, const ReadLimits& limits) {
  const fits::Scan scan = fits::scan(bytes, name);
  for (const Hdu& hdu : scan.hdus) {
    if (hdu.kind != Hdu::Kind::binary_table && hdu.kind != Hdu::Kind::ascii_table) continue;
    const std::string where = fmt::format("'{}', HDU {}", name, hdu.index);
    if (!hdu.problem.empty()) throw DataError(fmt::format("{}: {}", where, hdu.problem));
    Catalogue catalogue;
    catalogue.columns = hdu.kind == Hdu::Kind::binary_table ? read_binary(bytes, hdu, where, limits)
                                                            : read_ascii(bytes, hdu, where, limits);
    read_frame(hdu.cards, catalogue);
    catalogue.frequency_hz = hdu.cards.number("FREQ").value_or(std::nan(""));
    return catalogue;
  }
  throw DataError(fmt::format("'{}' holds no table{}", name,
                              scan.stopped.empty() ? "; is it an image?" : " before its headers end: " + scan.stopped));
}

}  // namespace reber
