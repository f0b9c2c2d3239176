// SPDX-License-Identifier: BSD-3-Clause
// Catalogues as a FITS binary table: doubles as D, integers as K, text as A.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/base/thread_pool.hpp"
#include "core/files/catalogue/catalogue_writers.hpp"
#include "core/files/io/atomic_file.hpp"
#include "core/files/io/checksum.hpp"
#include "core/sky/model/fits_cards.hpp"

namespace reber {
namespace {

using fits::make_card;
using fits::make_text_card;

/// Bytes of one cell.
std::size_t width_of(const Column& column, bool short_integers) {
  const auto* texts = std::get_if<std::vector<std::string>>(&column.values);
  if (texts == nullptr)
    return short_integers && std::holds_alternative<std::vector<std::int64_t>>(column.values) ? 4 : 8;
  std::size_t width = 1;
  for (const std::string& text : *texts) width = std::max(width, text.size());
  return width;
}

std::string form_of(const Column& column, bool short_integers) {
  if (std::holds_alternative<std::vector<double>>(column.values)) return "1D";
  if (std::holds_alternative<std::vector<std::int64_t>>(column.values)) return short_integers ? "1J" : "1K";
  return fmt::format("{}A", width_of(column, short_integers));
}

void put_big_endian(std::uint64_t word, std::size_t bytes, char* to) {
  for (int shift = static_cast<int>(bytes) * 8 - 8; shift >= 0; shift -= 8)
    *to++ = static_cast<char>(word >> shift & 0xFFU);
}

void put_cell(double value, std::size_t width, char* to) {
  put_big_endian(std::bit_cast<std::uint64_t>(value), width, to);
}
void put_cell(std::int64_t value, std::size_t width, char* to) {
  put_big_endian(static_cast<std::uint64_t>(value), width, to);
}
/// Zero bytes, which end a shorter string in a table, stand there.
void put_cell(const std::string& value, std::size_t width, char* to) {
  const std::string cell = fits::restrict_to_ascii(value);
  std::copy_n(cell.data(), std::min(cell.size(), width), to);
}

std::string to_blocks(std::string text, char fill) {
  text.resize((text.size() + fits::kBlockBytes - 1) / fits::kBlockBytes * fits::kBlockBytes, fill);
  return text;
}

std::string end_card() {
  std::string end = "END";
  end.resize(fits::kCardBytes, ' ');
  return end;
}

/// RADESYS and EQUINOX from the frame's name, "FK5 J2000".
void add_frame(std::string& cards, const Catalogue& catalogue) {
  const std::string system = catalogue.frame.substr(0, catalogue.frame.find(' '));
  if (system.empty()) return;
  if (system == "ICRS" || system == "FK5" || system.rfind("FK4", 0) == 0) {
    cards += make_text_card("RADESYS", system, "frame of RA and DEC");
  }
  cards += make_text_card("SKYFRAME", catalogue.frame, "frame of the positions");
  if (std::isfinite(catalogue.equinox))
    cards += make_card("EQUINOX", catalogue.equinox, "[yr] equinox of the positions");
}

std::string table_cards(const Catalogue& catalogue, std::size_t row_bytes) {
  std::string cards = make_text_card("XTENSION", "BINTABLE", "binary table");
  cards += make_card("BITPIX", std::int64_t{8});
  cards += make_card("NAXIS", std::int64_t{2});
  cards += make_card("NAXIS1", static_cast<std::int64_t>(row_bytes), "bytes of a row");
  cards += make_card("NAXIS2", catalogue.rows(), "rows");
  cards += make_card("PCOUNT", std::int64_t{0});
  cards += make_card("GCOUNT", std::int64_t{1});
  cards += make_card("TFIELDS", static_cast<std::int64_t>(catalogue.columns.size()), "columns");
  int number = 0;
  for (const Column& column : catalogue.columns) {
    ++number;
    cards += make_text_card(fmt::format("TTYPE{}", number), column.info.name);
    cards += make_text_card(fmt::format("TFORM{}", number), form_of(column, catalogue.short_integers));
    if (!column.info.unit.empty()) cards += make_text_card(fmt::format("TUNIT{}", number), column.info.unit);
    if (!column.info.ucd.empty()) cards += make_text_card(fmt::format("TUCD{}", number), column.info.ucd);
    if (!column.info.text.empty()) cards += make_text_card(fmt::format("TCOMM{}", number), column.info.text);
  }
  cards += make_text_card("EXTNAME", "SOURCES");
  add_frame(cards, catalogue);
  if (std::isfinite(catalogue.frequency_hz))
    cards += make_card("FREQ", catalogue.frequency_hz, "[Hz] frequency of the image") +
             make_card("FREQ0", catalogue.frequency_hz, "[Hz] reference frequency of the fluxes");
  if (!catalogue.image.empty())
    cards += make_text_card("INIMAGE", catalogue.image.substr(catalogue.image.rfind('/') + 1), "image searched");
  for (const std::string& line : catalogue.history) {
    for (const std::string& card : fits::fold_cards("HISTORY", line)) cards += card;
  }
  return cards;
}

}  // namespace

void write_catalogue_fits(const Catalogue& catalogue, const std::string& path, const FileOptions& how) {
  if (catalogue.columns.size() > 999)
    throw InputError(fmt::format("'{}' would have {} columns, and a FITS table holds 999: write .vot or .csv",
                                 printable(path), catalogue.columns.size()));
  std::size_t row_bytes = 0;
  std::vector<std::size_t> widths;
  for (const Column& column : catalogue.columns) {
    widths.push_back(width_of(column, catalogue.short_integers));
    row_bytes += widths.back();
  }
  std::string data(row_bytes * static_cast<std::size_t>(catalogue.rows()), '\0');
  constexpr std::int64_t kTogether = 1024;  // rows of a thread's turn
  const std::int64_t turns = (catalogue.rows() + kTogether - 1) / kTogether;
  ThreadPool pool(turns > 1 ? 0 : 1);
  pool.for_each(turns, [&](std::int64_t turn) {
    const std::int64_t first = turn * kTogether, last = std::min(first + kTogether, catalogue.rows());
    char* to = data.data() + static_cast<std::size_t>(first) * row_bytes;
    for (auto row = static_cast<std::size_t>(first); row < static_cast<std::size_t>(last); ++row)
      for (std::size_t i = 0; i < widths.size(); to += widths[i++])
        std::visit([&](const auto& values) { put_cell(values[row], widths[i], to); }, catalogue.columns[i].values);
  });
  data = to_blocks(std::move(data), '\0');
  std::string primary = fits::make_logical_card("SIMPLE", true, "conforms to the FITS standard");
  primary += make_card("BITPIX", std::int64_t{8});
  primary += make_card("NAXIS", std::int64_t{0});
  primary += fits::make_logical_card("EXTEND", true);
  primary = to_blocks(primary + end_card(), ' ');
  const std::string table = fits::with_checksums(table_cards(catalogue, row_bytes), data);
  AtomicFile file(path, how);
  file.write(primary);
  file.write(table);
  file.write(data);
  file.commit(static_cast<std::int64_t>(primary.size() + table.size() + data.size()));
}

}  // namespace reber
