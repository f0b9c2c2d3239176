// SPDX-License-Identifier: BSD-3-Clause
// Catalogues as comma-separated values: one header line, then the rows. Every reader takes it; where the positions are
// neither ICRS nor FK5 J2000, a comment before them says so.
#include <fmt/compile.h>
#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <string>
#include <string_view>

#include "core/base/printable.hpp"
#include "core/files/catalogue/catalogue_writers.hpp"
#include "core/files/catalogue/row_text.hpp"
#include "core/files/io/atomic_file.hpp"

namespace reber {
namespace {

using Text = RowText::Text;

void add(std::string_view part, Text& text) { text.append(part.data(), part.data() + part.size()); }

/// A text cell in quotes. A spreadsheet would run a cell that begins with = + - or @: an apostrophe stops that. Numbers
/// and sexagesimal angles are nothing to run.
void add_cell(const std::string& value, Text& text) {
  text.push_back('"');
  const std::string safe = printable(value);
  const bool numeric = safe.find_first_not_of("+-:.0123456789") == std::string::npos;
  if (!safe.empty() && !numeric && std::string("=+-@").find(safe.front()) != std::string::npos) text.push_back('\'');
  for (const char c : safe) {
    if (c == '"') text.push_back('"');
    text.push_back(c);
  }
  text.push_back('"');
}

void add_cell(double value, Text& text) {
  if (std::isfinite(value))
    fmt::format_to(std::back_inserter(text), FMT_COMPILE("{}"), value);
  else
    add(number_text(value), text);
}
void add_cell(std::int64_t value, Text& text) { fmt::format_to(std::back_inserter(text), FMT_COMPILE("{}"), value); }

Text lines(const Catalogue& catalogue, std::int64_t first, std::int64_t last) {
  Text text;
  for (std::int64_t row = first; row < last; ++row) {
    for (const Column& column : catalogue.columns)
      std::visit(
          [&](const auto& values) {
            add_cell(values[static_cast<std::size_t>(row)], text);
            text.push_back(',');
          },
          column.values);
    text[text.size() - 1] = '\n';
  }
  return text;
}

}  // namespace

void write_catalogue_csv(const Catalogue& catalogue, const std::string& path, const FileOptions& how) {
  write_comma_separated(catalogue, frame_comment(catalogue), path, how);
}

void write_comma_separated(const Catalogue& catalogue, const std::string& head, const std::string& path,
                           const FileOptions& how) {
  AtomicFile file(path, how);
  std::string names;
  for (const Column& column : catalogue.columns) {
    names += (names.empty() ? "" : ",") + column.info.name;
  }
  names += '\n';
  RowText text(file);
  text.write(head + names);
  text.write_rows(catalogue.rows(),
                  [&](std::int64_t first, std::int64_t last) { return lines(catalogue, first, last); });
  file.commit(text.written());
}

}  // namespace reber
