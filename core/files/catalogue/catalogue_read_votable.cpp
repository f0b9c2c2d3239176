// SPDX-License-Identifier: BSD-3-Clause
// Catalogues from VOTables: the first table of the document, its cells as text or as binary rows in base 64.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "core/base/error.hpp"
#include "core/files/catalogue/catalogue_readers.hpp"
#include "core/files/io/xml_reader.hpp"
#include "core/sky/model/sky_frames.hpp"

namespace reber {
namespace {

/// A FIELD of the table.
struct Field {
  ColumnInfo info;
  std::string datatype;
  std::optional<std::int64_t> length;  ///< elements of a cell; empty where each cell says its own
  bool kept = false;                   ///< one number or text a row

  [[nodiscard]] bool text() const { return datatype == "char" || datatype == "unicodeChar"; }
};

Field field_of(const XmlTag& tag) {
  Field field;
  field.info = {tag.attribute("name"), tag.attribute("unit"), tag.attribute("ucd"), ""};
  if (field.info.name.empty()) field.info.name = tag.attribute("ID");
  field.datatype = tag.attribute("datatype");
  const std::string size = tag.attribute("arraysize");
  field.length = 1;
  if (!size.empty()) {
    std::int64_t length = 0;
    const auto [stop, error] = std::from_chars(size.data(), size.data() + size.size(), length);
    if (error == std::errc() && stop == size.data() + size.size() && length >= 0 && length < (1 << 24))
      field.length = length;
    else
      field.length.reset();
  }
  field.kept = field.text() || (field.length == 1 &&
                                (field.datatype == "double" || field.datatype == "float" || field.datatype == "int" ||
                                 field.datatype == "long" || field.datatype == "short" ||
                                 field.datatype == "unsignedByte" || field.datatype == "boolean"));
  return field;
}

std::int64_t element_bytes(const std::string& datatype) {
  if (datatype == "short" || datatype == "unicodeChar") return 2;
  if (datatype == "int" || datatype == "float") return 4;
  if (datatype == "long" || datatype == "double" || datatype == "floatComplex") return 8;
  if (datatype == "doubleComplex") return 16;
  return 1;  // boolean, unsignedByte, char
}

char type_letter(const std::string& datatype) {
  if (datatype == "boolean") return 'L';
  if (datatype == "unsignedByte") return 'B';
  if (datatype == "short") return 'I';
  if (datatype == "int") return 'J';
  if (datatype == "long") return 'K';
  if (datatype == "float") return 'E';
  return datatype == "double" ? 'D' : 'A';
}

std::string decode_base64(std::string_view text, const std::string& name, NowAndThen& now) {
  std::string out;
  out.reserve(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : text) {
    now.check();
    int value = -1;
    if (c >= 'A' && c <= 'Z') value = c - 'A';
    if (c >= 'a' && c <= 'z') value = c - 'a' + 26;
    if (c >= '0' && c <= '9') value = c - '0' + 52;
    if (c == '+') value = 62;
    if (c == '/') value = 63;
    if (c == '=') break;
    if (c == ' ' || c == '\n' || c == '\r' || c == '\t') continue;
    if (value < 0) throw DataError(fmt::format("'{}': the binary rows are not base 64", name));
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    held += 6;
    if (held >= 8) {
      held -= 8;
      out += static_cast<char>(bits >> held & 0xFFU);
    }
  }
  return out;
}

class Reader {
 public:
  Reader(std::string_view document, const std::string& name, const Progress& progress)
      : xml_(document, name), name_(name), now_(progress) {}
  Catalogue read();

 private:
  void read_frame(const XmlTag& tag);
  void read_rows();
  void read_row();
  void read_binary(bool with_nulls);
  [[nodiscard]] std::string_view take(std::string_view& data, std::int64_t bytes) const;
  [[noreturn]] void truncated(const char* where) const {
    throw DataError(fmt::format("'{}': the VOTable ends within its {} (it is truncated)", name_, where));
  }

  /// throws Cancelled now and then
  XmlTag next() {
    now_.check();
    return xml_.next();
  }

  XmlReader xml_;
  const std::string& name_;
  NowAndThen now_;
  std::vector<Field> fields_;
  std::vector<std::vector<std::string>> cells_;
  Catalogue catalogue_;
  std::map<std::string, std::pair<std::string, double>> systems_;  ///< frame and equinox by the ID of the COOSYS
  bool referred_ = false;                                          ///< the frame is that which a position refers to
};

/// COOSYS: the one that the first position refers to, else the first of the document.
void Reader::read_frame(const XmlTag& tag) {
  if (!tag.opens) return;
  if (tag.name == "INFO" && tag.attribute("name") == "frame" && catalogue_.frame.empty())
    catalogue_.frame = tag.attribute("value");
  if (tag.name == "COOSYS") {
    const std::pair system{tag.attribute("system"), equinox_of(tag.attribute("equinox"))};
    const auto known = system_named(system.first, system.second);
    systems_.try_emplace(tag.attribute("ID"), known ? name_of(*known) : system.first,
                         known ? known->year() : kNoEquinox);
    if (catalogue_.frame.empty()) std::tie(catalogue_.frame, catalogue_.equinox) = systems_.at(tag.attribute("ID"));
  }
  const auto system = systems_.find(tag.attribute("ref"));
  if (tag.name != "FIELD" || referred_ || system == systems_.end() || !tag.attribute("ucd").starts_with("pos.")) return;
  std::tie(catalogue_.frame, catalogue_.equinox) = system->second;
  referred_ = true;
}

/// TABLEDATA, until it closes.
void Reader::read_rows() {
  cells_.resize(fields_.size());
  for (XmlTag tag = next(); !tag.name.empty(); tag = next()) {
    if (tag.name == "TABLEDATA" && !tag.opens) {
      for (std::size_t c = 0; c < fields_.size(); ++c) {
        if (!fields_[c].kept) continue;
        if (fields_[c].datatype == "boolean")
          for (std::string& cell : cells_[c])
            cell.assign(1, lower_case(cell) == "t" || lower_case(cell) == "true" || cell == "1" ? '1' : '0');
        catalogue_.columns.push_back(column_of_cells(fields_[c].info, std::move(cells_[c]), fields_[c].text()));
      }
      return;
    }
    if (tag.name == "TR" && tag.opens) read_row();
  }
  truncated("rows");
}

void Reader::read_row() {
  std::size_t column = 0;
  for (XmlTag tag = next(); !tag.name.empty(); tag = next()) {
    if (tag.name == "TR" && !tag.opens) {
      for (; column < fields_.size(); ++column) cells_[column].emplace_back();
      return;
    }
    if (tag.name != "TD" || tag.opens) continue;
    if (column >= fields_.size())
      throw DataError(fmt::format("'{}': a row has more cells than there are FIELDs ({})", name_, fields_.size()));
    cells_[column++].emplace_back(trimmed(tag.text));
  }
}

std::string_view Reader::take(std::string_view& data, std::int64_t bytes) const {
  if (bytes < 0 || bytes > static_cast<std::int64_t>(data.size()))
    throw DataError(fmt::format("'{}': the binary rows end within a row", name_));
  const std::string_view part = data.substr(0, static_cast<std::size_t>(bytes));
  data.remove_prefix(static_cast<std::size_t>(bytes));
  return part;
}

/// BINARY and BINARY2: the latter has a bit per field in front of each row, set where it has no value.
void Reader::read_binary(bool with_nulls) {
  XmlTag tag = next();
  while (!tag.name.empty() && !(tag.name == "STREAM" && !tag.opens)) {
    if (tag.name == "STREAM" && !tag.attribute("href").empty())
      throw DataError(fmt::format("'{}': the rows lie in another file ({})", name_, tag.attribute("href")));
    tag = next();
  }
  if (tag.name.empty()) truncated("rows");
  const std::string bytes = decode_base64(tag.text, name_, now_);
  std::string_view data = bytes;
  std::vector<BinaryColumn> columns;
  for (const Field& field : fields_) columns.emplace_back(BinaryField{type_letter(field.datatype)});
  const auto null_bytes = static_cast<std::int64_t>((fields_.size() + 7) / 8);
  while (!data.empty() && !fields_.empty()) {
    now_.check();
    const std::size_t before = data.size();
    const std::string_view nulls = with_nulls ? take(data, null_bytes) : std::string_view();
    for (std::size_t c = 0; c < fields_.size(); ++c) {
      const Field& field = fields_[c];
      std::int64_t length = field.length.value_or(0);
      if (!field.length)
        for (const char byte : take(data, 4)) length = length << 8 | static_cast<unsigned char>(byte);
      const std::int64_t size = field.datatype == "bit" ? (length + 7) / 8 : length * element_bytes(field.datatype);
      const std::string_view cell = take(data, size);
      if (!field.kept) continue;
      const bool missing = with_nulls && (static_cast<unsigned char>(nulls[c / 8]) >> (7 - c % 8) & 1U) != 0;
      std::string text;
      if (field.datatype == "unicodeChar")
        for (std::size_t i = 1; i < cell.size(); i += 2) text += cell[i - 1] == 0 ? cell[i] : '?';
      if (missing)
        columns[c].add_missing();
      else if (field.datatype == "unicodeChar")
        columns[c].add(text.data(), static_cast<std::int64_t>(text.size()));
      else
        columns[c].add(cell.data(), size);
    }
    if (data.size() == before) throw DataError(fmt::format("'{}': the FIELDs describe rows of no bytes", name_));
  }
  for (std::size_t c = 0; c < fields_.size(); ++c)
    if (fields_[c].kept) catalogue_.columns.push_back(columns[c].finish(fields_[c].info));
}

Catalogue Reader::read() {
  catalogue_.equinox = catalogue_.frequency_hz = std::numeric_limits<double>::quiet_NaN();
  bool known = false, whole = false;
  for (XmlTag tag = next(); !tag.name.empty(); tag = next()) {
    known = known || tag.name == "VOTABLE";
    whole = whole || (tag.name == "VOTABLE" && !tag.opens);
    read_frame(tag);
    if (tag.name == "FIELD" && tag.opens) fields_.push_back(field_of(tag));
    if (tag.name == "DESCRIPTION" && !tag.opens && !fields_.empty()) fields_.back().info.text = trimmed(tag.text);
    if (tag.name == "FITS" && tag.opens)
      throw DataError(fmt::format("'{}': the VOTable's rows are a FITS file within it; give that file itself", name_));
    if (!tag.opens) continue;
    if (tag.name == "TABLEDATA") read_rows();
    if (tag.name == "BINARY" || tag.name == "BINARY2") read_binary(tag.name == "BINARY2");
    if (!catalogue_.columns.empty()) return std::move(catalogue_);
  }
  if (!known) throw DataError(fmt::format("'{}' is XML, but no VOTable", name_));
  if (!whole) truncated("header");
  for (const Field& field : fields_)
    if (field.kept) catalogue_.columns.push_back(column_of_cells(field.info, {}, field.text()));
  return std::move(catalogue_);
}

}  // namespace

Catalogue read_catalogue_votable(std::string_view text, const std::string& name, const Progress& progress) {
  return Reader(text, name, progress).read();
}

}  // namespace reber
