// SPDX-License-Identifier: BSD-3-Clause
// Catalogues as Enhanced Character-Separated Values (ECSV 1.0): CSV behind comments that are YAML.
#include <fmt/format.h>

#include <string>

#include "core/base/printable.hpp"
#include "core/files/catalogue/catalogue_writers.hpp"

namespace reber {
namespace {

/// A scalar of YAML in quotes, which are JSON's.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : printable(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

const char* type_of(const Column& column) {
  if (std::holds_alternative<std::vector<double>>(column.values)) return "float64";
  return std::holds_alternative<std::vector<std::int64_t>>(column.values) ? "int64" : "string";
}

}  // namespace

void write_catalogue_ecsv(const Catalogue& catalogue, const std::string& path, const FileOptions& how) {
  std::string head = "# %ECSV 1.0\n# ---\n# delimiter: ','\n" + frame_comment(catalogue) + "# datatype:\n";
  for (const Column& column : catalogue.columns) {
    const ColumnInfo& info = column.info;
    head += fmt::format("# - {{name: {}, ", quoted(info.name));
    if (!info.unit.empty()) head += fmt::format("unit: {}, ", quoted(info.unit));
    head += fmt::format("datatype: {}", type_of(column));
    if (!info.text.empty()) head += fmt::format(", description: {}", quoted(info.text));
    head += info.ucd.empty() ? "}\n" : fmt::format(", meta: {{ucd: {}}}}}\n", quoted(info.ucd));
  }
  if (!catalogue.history.empty()) {
    head += "# meta:\n#   history:\n";
    for (const std::string& line : catalogue.history) head += fmt::format("#   - {}\n", quoted(line));
  }
  write_comma_separated(catalogue, head + "# schema: astropy-2.0\n", path, how);
}

}  // namespace reber
