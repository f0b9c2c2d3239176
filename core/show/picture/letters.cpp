// SPDX-License-Identifier: BSD-3-Clause
// Characters become glyphs in their places.
#include "core/show/picture/letters.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/show/picture/hershey_simplex.hpp"

namespace reber {
namespace {

/// A raised letter's size and the height that it stands on, in sizes of the text.
constexpr double kRaisedSize = 0.68, kRaisedBy = 0.5;

struct Letter {
  std::size_t glyph;
  bool raised;
};

std::vector<Letter> letters_of(const std::string& text) {
  constexpr std::size_t kUnknown = '?' - ' ';
  std::vector<Letter> letters;
  bool raised = false, grouped = false;
  const auto add = [&](std::size_t glyph) {
    letters.push_back({glyph, raised});
    if (!grouped) raised = false;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<std::uint8_t>(text[i]), next = static_cast<std::uint8_t>(text.c_str()[i + 1]);
    if (c == '^') {
      raised = true;
      grouped = next == '{';
      if (grouped) ++i;
    } else if (c == '}' && grouped) {
      raised = grouped = false;
    } else if (c == 0xC2 && (next == 0xB0 || next == 0xB5)) {
      add(next == 0xB0 ? hershey::kDegree : hershey::kMicro);
      ++i;
    } else if (c < 0x80 || c >= 0xC0) {  // the other bytes of a character are passed over
      add(c >= 32 && c < 127 ? std::size_t{c} - ' ' : kUnknown);
    }
  }
  return letters;
}

/// One of the two numbers that a pair of characters stands for.
double number(std::string_view pair, std::size_t which) { return pair[which] - 'R'; }

double unit_of(const Letter& letter, double size) {
  return (letter.raised ? kRaisedSize * size : size) / hershey::kCapitals;
}

double width_of(std::string_view glyph) { return number(glyph, 1) - number(glyph, 0); }

}  // namespace

std::vector<Stroke> text_strokes(const std::string& text, double size) {
  std::vector<Stroke> strokes;
  double begin = 0;
  for (const Letter& letter : letters_of(text)) {
    const std::string_view glyph = hershey::glyph(letter.glyph);
    const double unit = unit_of(letter, size), base = letter.raised ? -kRaisedBy * size : 0;
    const double left = begin - unit * number(glyph, 0);
    bool drawing = false;
    Point last;
    for (std::size_t i = 2; i < glyph.size(); i += 2) {
      const std::string_view pair = glyph.substr(i, 2);
      if (pair == hershey::kLift) {
        drawing = false;
        continue;
      }
      const Point at{left + unit * number(pair, 0), base + unit * (number(pair, 1) - hershey::kBaseline)};
      if (drawing) strokes.push_back({last, at});
      drawing = true;
      last = at;
    }
    begin += unit * width_of(glyph);
  }
  return strokes;
}

double text_width(const std::string& text, double size) {
  double width = 0;
  for (const Letter& letter : letters_of(text)) width += unit_of(letter, size) * width_of(hershey::glyph(letter.glyph));
  return width;
}

}  // namespace reber
