// SPDX-License-Identifier: BSD-3-Clause
// A line at a time; words are what single blanks part.
#include "app/terminal/folded.hpp"

#include <algorithm>

namespace reber::app {
namespace {

/// Bytes of UTF-8 that begin a character.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

/// Where the last field begins that leaves room for words; else a little to the right of the line's own begin.
std::size_t indent_of(std::string_view line, std::size_t columns) {
  const std::size_t own = std::min(line.find_first_not_of(' '), columns / 2);
  std::size_t field = own + 2;
  for (std::size_t at = own + 2; at < std::min(line.size(), columns * 2 / 3); ++at)
    if (line[at] != ' ' && line[at - 1] == ' ' && line[at - 2] == ' ') field = at;
  return field;
}

std::string folded_line(std::string_view line, std::size_t columns, std::size_t indent) {
  std::string text;
  std::size_t begin = 0, column = 0;  // of the word; of what stands in this line
  while (begin < line.size()) {
    // A word with the blanks before it.
    const std::size_t letters = std::min(line.find_first_not_of(' ', begin), line.size());
    const std::size_t end = std::min(line.find(' ', letters), line.size());
    const std::size_t blanks = letters - begin, width = width_of(line.substr(letters, end - letters));
    if (column > indent && column + blanks + width > columns) {
      text += '\n' + std::string(indent, ' ');
      column = indent;
    } else {
      text.append(blanks, ' ');
      column += blanks;
    }
    text += line.substr(letters, end - letters);
    column += width;
    begin = end;
  }
  return text;
}

}  // namespace

std::string folded_prose(std::string_view text, std::size_t columns) { return folded_line(text, columns, 0); }

std::string folded(std::string_view text, std::size_t columns) {
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    result += width_of(line) > columns ? folded_line(line, columns, indent_of(line, columns)) : std::string(line);
    if (end < text.size()) result += '\n';
    begin = end + 1;
  }
  return result;
}

}  // namespace reber::app
