// SPDX-License-Identifier: BSD-3-Clause
// Catalogues from text: where the names of the columns stand, and what parts one cell from the next.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "core/base/error.hpp"
#include "core/files/catalogue/catalogue_readers.hpp"
#include "core/files/catalogue/ecsv_header.hpp"
#include "core/sky/model/sky_frames.hpp"

namespace reber {
namespace {

using Cells = std::vector<std::string>;

constexpr std::size_t kMostColumns = 10'000;

/// Cuts a line; delimiter ' ' stands for any number of blanks and tabs. Quotes hold a cell together, "" is a quote.
Cells cells_of(std::string_view line, char delimiter) {
  Cells cells;
  std::size_t at = 0;
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (true) {
    while (at < line.size() && blank(line[at]) && line[at] != delimiter) ++at;
    if (delimiter == ' ') {
      while (at < line.size() && blank(line[at])) ++at;
      if (at >= line.size()) return cells;
    }
    std::string cell;
    if (at < line.size() && line[at] == '"') {
      for (++at; at < line.size(); ++at) {
        if (line[at] == '"' && (at + 1 >= line.size() || line[at + 1] != '"')) break;
        if (line[at] == '"') ++at;
        cell += line[at];
      }
      if (at < line.size()) ++at;
      // Our own writer's guard against spreadsheets that run cells as formulas.
      if (cell.size() > 1 && cell[0] == '\'' && std::string_view("=+-@").find(cell[1]) != std::string_view::npos)
        cell.erase(0, 1);
    }
    const std::size_t from = at;
    while (at < line.size() && (delimiter == ' ' ? !blank(line[at]) : line[at] != delimiter)) ++at;
    cell += trimmed(line.substr(from, at - from));
    cells.push_back(std::move(cell));
    if (delimiter == ' ') continue;
    if (at >= line.size()) return cells;
    ++at;
  }
}

bool is_number(const std::string& cell) {
  double value = 0;
  const char* from = cell.data() + (!cell.empty() && cell[0] == '+' ? 1 : 0);
  const auto [stop, error] = std::from_chars(from, cell.data() + cell.size(), value);
  return from != cell.data() + cell.size() && stop == cell.data() + cell.size() && error != std::errc::invalid_argument;
}

bool is_rule(const Cells& cells) {
  return !cells.empty() && std::ranges::all_of(cells, [](const std::string& cell) {
    return cell.find_first_not_of("-=+") == std::string::npos;
  }) && std::ranges::any_of(cells, [](const std::string& cell) { return cell.size() > 1; });
}

/// The file in lines: comments before the first line of content, then the content.
struct Lines {
  std::vector<std::string_view> comments;  ///< without '#'
  std::vector<std::string_view> content;
  std::string frame;  ///< of "# frame: FK4 B1950"
  double equinox = kNoEquinox;
};

/// "frame: FK4 B1950" of Reber, "Equinox : 1950.0" of PyBDSF, "Coosys J2000: eq_FK5 J2000" of VizieR.
///   returns whether the comment says no more than this
bool reads_frame(std::string_view comment, Lines& lines) {
  const std::size_t colon = comment.find(':');
  if (colon == std::string_view::npos) return false;
  const std::string key = lower_case(trimmed(comment.substr(0, colon)));
  const std::string value(trimmed(comment.substr(colon + 1)));
  if (key == "equinox") lines.equinox = equinox_of(value);
  if (key == "frame" || (key.starts_with("coosys") && lines.frame.empty())) lines.frame = value;
  return key == "frame" || key == "equinox" || key.starts_with("coosys");
}

Lines split(std::string_view text, NowAndThen& now) {
  Lines lines;
  while (!text.empty()) {
    now.check();
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (trimmed(line).empty()) continue;
    if (line.front() != '#') {
      lines.content.push_back(line);
    } else if (lines.content.empty() && !reads_frame(line.substr(1), lines)) {
      lines.comments.push_back(line.substr(1));
    }
  }
  return lines;
}

char delimiter_of(std::string_view line) {
  for (const char candidate : {',', '\t', ';', '|'})
    if (line.find(candidate) != std::string_view::npos) return candidate;
  return ' ';
}

/// A name with its unit in brackets behind it: "Peak_flux [Jy/beam]".
ColumnInfo with_unit(std::string name) {
  ColumnInfo info{std::move(name), "", "", ""};
  for (const auto& [open, close] : {std::pair('[', ']'), std::pair('(', ')')}) {
    if (info.name.size() < 3 || info.name.back() != close) continue;
    const std::size_t at = info.name.rfind(open);
    if (at == std::string::npos || at == 0) continue;
    info.unit = std::string(trimmed(std::string_view(info.name).substr(at + 1, info.name.size() - at - 2)));
    info.name = std::string(trimmed(std::string_view(info.name).substr(0, at)));
  }
  return info;
}

/// SExtractor's header: one line per column, "1 NUMBER  Running object number  [unit]".
std::vector<ColumnInfo> listed_columns(const std::vector<std::string_view>& comments) {
  std::vector<ColumnInfo> columns;
  for (const std::string_view line : comments) {
    const Cells words = cells_of(line, ' ');
    std::size_t number = 0;
    if (words.size() < 2) return {};
    const auto [stop, error] = std::from_chars(words[0].data(), words[0].data() + words[0].size(), number);
    if (stop != words[0].data() + words[0].size() || error != std::errc() || number <= columns.size() ||
        number > kMostColumns)
      return {};
    // A column of several numbers is listed once: the rest of it stays without a name of its own.
    const std::string base = columns.empty() ? "col" : columns.back().name;
    while (columns.size() + 1 < number) {
      columns.push_back({fmt::format("{}_{}", base, columns.size() + 1), "", "", ""});
    }
    ColumnInfo info{words[1], "", "", ""};
    if (words.back().size() > 2 && words.back().front() == '[' && words.back().back() == ']')
      info.unit = words.back().substr(1, words.back().size() - 2);
    columns.push_back(std::move(info));
  }
  return columns;
}

bool looks_like_units(const Cells& cells) {
  const auto unit = [](const std::string& cell) {
    return cell.empty() || cell == "--" || cell.front() == '[' || cell.front() == '(';
  };
  return std::ranges::all_of(cells, unit);
}

void set_units(std::vector<ColumnInfo>& columns, const Cells& units) {
  for (std::size_t c = 0; c < std::min(columns.size(), units.size()); ++c) {
    std::string_view unit = units[c];
    while (!unit.empty() && std::string_view("[(").find(unit.front()) != std::string_view::npos) unit.remove_prefix(1);
    while (!unit.empty() && std::string_view("])").find(unit.back()) != std::string_view::npos) unit.remove_suffix(1);
    if (unit != "--") columns[c].unit = std::string(unit);
  }
}

/// Names in the comments: the first line of as many words as a row has, a line of units behind it.
std::vector<ColumnInfo> commented_columns(const std::vector<std::string_view>& comments, std::size_t count,
                                          char delimiter) {
  std::vector<ColumnInfo> columns;
  for (const std::string_view line : comments) {
    const Cells words = cells_of(line, delimiter);
    if (words.size() != count || is_rule(words)) continue;
    if (!columns.empty()) {
      if (looks_like_units(words)) set_units(columns, words);
      break;
    }
    if (std::ranges::any_of(words, is_number)) continue;
    for (const std::string& word : words) columns.push_back(with_unit(word));
  }
  return columns;
}

/// Whether a line can be names: not one of its cells is a number.
bool names(const Cells& cells) { return std::ranges::none_of(cells, is_number); }

}  // namespace

Catalogue read_catalogue_text(std::string_view text, const std::string& name, const Progress& progress) {
  NowAndThen now(progress);
  const Lines lines = split(text, now);
  if (lines.content.empty() && lines.comments.empty()) throw DataError(fmt::format("'{}' is empty", name));
  std::size_t at = 0;
  char delimiter = ' ';
  const std::optional<EcsvHeader> ecsv = read_ecsv_header(lines.comments);
  std::vector<ColumnInfo> columns = ecsv ? ecsv->columns : listed_columns(lines.comments);
  if (ecsv) {
    delimiter = ecsv->delimiter;
    at = std::min<std::size_t>(1, lines.content.size());  // their names once more
  } else if (columns.empty()) {
    const std::string_view model = lines.content.empty() ? lines.comments.back() : lines.content.front();
    delimiter = delimiter_of(model);
    Cells first = cells_of(model, delimiter);
    if (!lines.content.empty() && names(first)) {
      for (std::string& word : first) columns.push_back(with_unit(std::move(word)));
      at = 1;
      // VizieR writes units below the names and a rule of dashes below those.
      for (std::size_t rule = at; rule < std::min<std::size_t>(lines.content.size(), at + 2); ++rule) {
        if (!is_rule(cells_of(lines.content[rule], delimiter))) continue;
        if (rule == at + 1) set_units(columns, cells_of(lines.content[at], delimiter));
        at = rule + 1;
        break;
      }
    } else {
      columns = commented_columns(lines.comments, first.size(), delimiter);
    }
  }
  if (columns.empty())
    throw DataError(
        fmt::format("'{}': no names of columns found (expected them in the first line, or behind '#')", name));
  if (columns.size() > kMostColumns)
    throw DataError(
        fmt::format("'{}' names {} columns, and {} are the most of a catalogue", name, columns.size(), kMostColumns));
  std::vector<Cells> cells(columns.size());
  for (; at < lines.content.size(); ++at) {
    now.check();
    Cells row = cells_of(lines.content[at], delimiter);
    // A delimiter at the end of each line makes an empty cell more.
    if (row.size() == columns.size() + 1 && row.back().empty()) row.pop_back();
    if (row.size() != columns.size() && !(delimiter == ' ' && row.size() > columns.size()))
      throw DataError(fmt::format("'{}': row {} has {} cells where {} columns are named", name, cells[0].size() + 1,
                                  row.size(), columns.size()));
    for (std::size_t c = 0; c < columns.size(); ++c) cells[c].push_back(std::move(row[c]));
  }
  Catalogue catalogue;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    progress.check();
    catalogue.columns.push_back(column_of_cells(std::move(columns[c]), std::move(cells[c]), ecsv && ecsv->texts[c]));
  }
  catalogue.frequency_hz = std::numeric_limits<double>::quiet_NaN();
  const auto system = system_named(lines.frame, lines.equinox);
  catalogue.frame = system ? name_of(*system) : lines.frame;
  catalogue.equinox = system ? system->year() : lines.equinox;
  return catalogue;
}

}  // namespace reber
