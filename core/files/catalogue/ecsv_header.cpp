// SPDX-License-Identifier: BSD-3-Clause
// As much of YAML as astropy writes of columns.
#include "core/files/catalogue/ecsv_header.hpp"

#include <string>
#include <utility>

#include "core/files/catalogue/catalogue_readers.hpp"

namespace reber {
namespace {

std::size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

/// Where what begins at `at` ends: before `stop` or the closing bracket of what is around it.
std::size_t end_of(std::string_view text, std::size_t at, char stop) {
  int depth = 0;
  char quote = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quote != 0) {
      if (c == '\\' && quote == '"')
        ++at;
      else if (c == quote)
        quote = 0;
    } else if ((c == '"' || c == '\'') &&
               (at == 0 || std::string_view(" {[,:").find(text[at - 1]) != std::string_view::npos)) {
      quote = c;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (depth-- == 0) return at;
    } else if (c == stop && depth == 0) {
      return at;
    }
  }
  return at;
}

/// A scalar without its quotes.
std::string scalar(std::string_view text) {
  text = trimmed(text);
  if (text.size() < 2 || (text.front() != '"' && text.front() != '\'') || text.back() != text.front())
    return std::string(text);
  const char quote = text.front();
  text = text.substr(1, text.size() - 2);
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (at + 1 < text.size() && ((quote == '"' && text[at] == '\\') || (quote == '\'' && text[at] == '\''))) ++at;
    out += text[at];
  }
  return out;
}

void set(std::string_view key, std::string_view value, ColumnInfo& info, bool& text) {
  if (key == "name") info.name = scalar(value);
  if (key == "unit") info.unit = scalar(value);
  if (key == "description") info.text = scalar(value);
  if (key == "ucd") info.ucd = scalar(value);
  if (key == "datatype") text = scalar(value) == "string";
}

/// "{key: value, key: {...}}", also of mappings within.
void read_flow(std::string_view text, ColumnInfo& info, bool& is_text) {
  for (std::size_t at = text.find('{') + 1; at != 0 && at < text.size();) {
    const std::size_t end = end_of(text, at, ',');
    const std::string_view pair = text.substr(at, end - at);
    if (const std::size_t colon = pair.find(':'); colon != std::string_view::npos) {
      const std::string_view value = trimmed(pair.substr(colon + 1));
      if (value.starts_with('{'))
        read_flow(value, info, is_text);
      else
        set(trimmed(pair.substr(0, colon)), value, info, is_text);
    }
    at = end + 1;
    if (end < text.size() && text[end] != ',') return;
  }
}

/// The lines of one entry, the dash of the first one blanked.
void read_entry(const std::vector<std::string>& lines, EcsvHeader& header) {
  ColumnInfo info;
  bool text = false;
  if (trimmed(lines.front()).starts_with('{')) {
    std::string whole;
    for (const std::string& line : lines) whole += std::string(trimmed(line)) + " ";
    read_flow(whole, info, text);
  } else {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      std::string pair(trimmed(lines[i]));
      // A long scalar goes on below, further in.
      while (i + 1 < lines.size() && indent_of(lines[i + 1]) > indent_of(lines.front()) && !pair.ends_with(':') &&
             lines[i + 1].find(": ") == std::string::npos && !trimmed(lines[i + 1]).starts_with('-'))
        pair += " " + std::string(trimmed(lines[++i]));
      if (const std::size_t flow = pair.find('{'); flow != std::string::npos && pair.starts_with("- ")) {
        read_flow(pair, info, text);
      } else if (const std::size_t colon = pair.find(':'); colon != std::string::npos) {
        set(trimmed(std::string_view(pair).substr(0, colon)), std::string_view(pair).substr(colon + 1), info, text);
      }
    }
  }
  header.columns.push_back(std::move(info));
  header.texts.push_back(text);
}

}  // namespace

std::optional<EcsvHeader> read_ecsv_header(const std::vector<std::string_view>& comments) {
  if (comments.empty() || !trimmed(comments.front()).starts_with("%ECSV")) return {};
  EcsvHeader header;
  std::vector<std::string> entry;
  std::size_t dash = std::string_view::npos;
  const auto flush = [&] {
    if (!entry.empty()) read_entry(entry, header);
    entry.clear();
  };
  bool columns = false;
  for (const std::string_view line : comments) {
    const std::string_view words = trimmed(line);
    const bool begins =
        columns && words.starts_with("- ") && (dash == std::string_view::npos || indent_of(line) == dash);
    if (words.starts_with("datatype:") && !columns) {
      columns = true;
    } else if (begins) {
      flush();
      dash = indent_of(line);
      entry.emplace_back(line);
      entry.back()[dash] = ' ';
    } else if (columns && !entry.empty() && indent_of(line) > dash) {
      entry.emplace_back(line);
    } else if (columns) {
      flush();
      columns = false;
    }
    if (words.starts_with("delimiter:"))
      if (const std::string value = scalar(words.substr(words.find(':') + 1)); value.size() == 1)
        header.delimiter = value.front();
  }
  flush();
  return header;
}

}  // namespace reber
