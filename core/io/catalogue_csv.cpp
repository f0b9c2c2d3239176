// SPDX-License-Identifier: BSD-3-Clause
// Catalogues as comma-separated values: one header line, then the rows, and no comments, so that every reader takes it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <vector>

#include "core/base/thread_pool.hpp"
#include "core/io/atomic_file.hpp"
#include "core/io/catalogue_io.hpp"
#include "core/io/catalogue_writers.hpp"

namespace reber {
namespace {

/// A text cell in quotes. A spreadsheet would run a cell that begins with = + - or @: an apostrophe stops that. Numbers
/// and sexagesimal angles are nothing to run.
void add_cell(const std::string& value, std::string& text) {
  text += '"';
  const std::string safe = printable(value);
  const bool numeric = safe.find_first_not_of("+-:.0123456789") == std::string::npos;
  if (!safe.empty() && !numeric && std::string("=+-@").find(safe.front()) != std::string::npos) text += '\'';
  for (const char c : safe) {
    if (c == '"') text += '"';
    text += c;
  }
  text += '"';
}

void add_cell(double value, std::string& text) {
  if (std::isfinite(value))
    fmt::format_to(std::back_inserter(text), "{}", value);
  else
    text += number_text(value);
}
void add_cell(std::int64_t value, std::string& text) { fmt::format_to(std::back_inserter(text), "{}", value); }

std::string lines(const Catalogue& catalogue, std::int64_t first, std::int64_t last) {
  std::string text;
  for (std::int64_t row = first; row < last; ++row) {
    for (const Column& column : catalogue.columns)
      std::visit(
          [&](const auto& values) {
            add_cell(values[static_cast<std::size_t>(row)], text);
            text += ',';
          },
          column.values);
    text.back() = '\n';
  }
  return text;
}

}  // namespace

void write_catalogue_csv(const Catalogue& catalogue, const std::string& path, bool overwrite) {
  AtomicFile file(path, overwrite);
  std::string text;
  for (const Column& column : catalogue.columns) {
    text += (text.empty() ? "" : ",") + column.info.name;
  }
  text += '\n';
  file.write(text);
  auto written = static_cast<std::int64_t>(text.size());
  // Text of numbers takes longer than the writing: pieces of rows are made side by side.
  constexpr std::int64_t kPiece = 512;
  const std::int64_t pieces = (catalogue.rows() + kPiece - 1) / kPiece;
  ThreadPool pool(pieces > 1 ? 0 : 1);
  std::vector<std::string> made(static_cast<std::size_t>(std::min<std::int64_t>(pieces, 4 * pool.threads())));
  for (std::int64_t done = 0; done < pieces; done += static_cast<std::int64_t>(made.size())) {
    const std::int64_t now = std::min(static_cast<std::int64_t>(made.size()), pieces - done);
    pool.for_each(now, [&](std::int64_t i) {
      const std::int64_t first = (done + i) * kPiece;
      made[static_cast<std::size_t>(i)] = lines(catalogue, first, std::min(first + kPiece, catalogue.rows()));
    });
    for (std::int64_t i = 0; i < now; ++i) {
      const std::string& part = made[static_cast<std::size_t>(i)];
      file.write(part);
      written += static_cast<std::int64_t>(part.size());
    }
  }
  file.commit(written);
}

}  // namespace reber
