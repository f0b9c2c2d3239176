// SPDX-License-Identifier: BSD-3-Clause
// Catalogues as comma-separated values: one header line, then the rows, and no comments, so that every reader takes it.
#include <fmt/format.h>

#include <string>

#include "core/io/atomic_file.hpp"
#include "core/io/catalogue_io.hpp"
#include "core/io/catalogue_writers.hpp"

namespace reber {
namespace {

/// A text cell in quotes. A spreadsheet would run a cell that begins with = + - or @: an apostrophe stops that. Numbers
/// and sexagesimal angles are nothing to run.
std::string cell(const std::string& text) {
  std::string out = "\"";
  const std::string safe = printable(text);
  const bool numeric = safe.find_first_not_of("+-:.0123456789") == std::string::npos;
  if (!safe.empty() && !numeric && std::string("=+-@").find(safe.front()) != std::string::npos) out += '\'';
  for (const char c : safe) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

std::string cell(double value) { return number_text(value); }
std::string cell(std::int64_t value) { return fmt::format("{}", value); }

}  // namespace

void write_catalogue_csv(const Catalogue& catalogue, const std::string& path, bool overwrite) {
  AtomicFile file(path, overwrite);
  std::string text;
  for (const Column& column : catalogue.columns) {
    text += (text.empty() ? "" : ",") + column.info.name;
  }
  text += '\n';
  std::int64_t written = 0;
  const auto flush = [&] {
    file.write(text);
    written += static_cast<std::int64_t>(text.size());
    text.clear();
  };
  for (std::int64_t row = 0; row < catalogue.rows(); ++row) {
    bool first = true;
    for (const Column& column : catalogue.columns) {
      if (!first) text += ',';
      first = false;
      text +=
          std::visit([&](const auto& values) { return cell(values[static_cast<std::size_t>(row)]); }, column.values);
    }
    text += '\n';
    if (text.size() > (std::size_t{1} << 20)) flush();
  }
  flush();
  file.commit(written);
}

}  // namespace reber
