// SPDX-License-Identifier: BSD-3-Clause
// Text becomes runs of one height, each shown behind the one before.
#include "modules/drawing/letters.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <new>
#include <numbers>
#include <string_view>

#include "core/base/error.hpp"

namespace reber::drawn {
namespace {

/// A raised letter's size and the height that it stands on, in sizes of the text.
constexpr double kRaisedSize = 0.7, kRaisedBy = 0.5;

/// Bytes of the UTF-8 character that begins there; 0 where none does.
std::size_t character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned first = byte(at);
  if (first < 0x80) return first >= 0x20 && first != 0x7F ? 1 : 0;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4) return 0;
  for (std::size_t k = 1; k < length; ++k)
    if ((byte(at + k) & 0xC0U) != 0x80) return 0;
  const unsigned second = byte(at + 1);  // neither overlong, nor a surrogate, nor beyond the last
  if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) || (first == 0xF0 && second < 0x90) ||
      (first == 0xF4 && second > 0x8F))
    return 0;
  return length;
}

/// Text of which the font has ASCII alone.
std::string plain(std::string_view character) {
  if (character.size() == 1) return std::string(character);
  if (character == "\u00B0") return "d";
  if (character == "\u00B5" || character == "\u03BC") return "u";
  if (character == "\u2212" || character == "\u2013") return "-";
  return "?";
}

struct Piece {
  std::string text;
  bool raised;
};

bool is_minus(std::string_view text, std::size_t at) {
  const auto digit = [&](std::size_t i) {
    return i < text.size() && std::isdigit(static_cast<unsigned char>(text[i]));
  };
  const bool starts = at == 0 || std::string_view(" ({^,").find(text[at - 1]) != std::string_view::npos;
  return text[at] == '-' && starts && digit(at + 1);
}

std::vector<Piece> pieces_of(std::string_view text, bool markup, bool ascii) {
  std::vector<Piece> pieces{{{}, false}};
  bool grouped = false, once = false;
  const auto raise = [&](bool raised) { pieces.push_back({{}, raised}); };
  for (std::size_t i = 0; i < text.size();) {
    if (markup && text[i] == '^' && i + 1 < text.size()) {
      grouped = text[i + 1] == '{';
      once = !grouped;
      i += grouped ? 2 : 1;
      raise(true);
      continue;
    }
    if (grouped && text[i] == '}') {
      grouped = false;
      raise(false);
      ++i;
      continue;
    }
    const std::size_t length = character_at(text, i);
    std::string_view character = length > 0 ? text.substr(i, length) : "?";
    if (markup && is_minus(text, i)) character = "\u2212";
    pieces.back().text += ascii ? plain(character) : std::string(character);
    i += std::max<std::size_t>(length, 1);
    if (std::exchange(once, false)) raise(false);
  }
  return pieces;
}

/// The em of capitals of that height.
double em_of_capitals(cairo_t* painter) {
  cairo_save(painter);
  cairo_identity_matrix(painter);
  cairo_set_font_size(painter, 100);
  cairo_text_extents_t extents;
  cairo_text_extents(painter, "H", &extents);
  cairo_restore(painter);
  return extents.height > 0 ? 100 / extents.height : 1.37;
}

}  // namespace

void check(cairo_status_t status) {
  if (status == CAIRO_STATUS_NO_MEMORY) throw std::bad_alloc();
  if (status != CAIRO_STATUS_SUCCESS)
    throw DataError(std::string("the picture could not be drawn: ") + cairo_status_to_string(status));
}

const char* font_family(bool fixed_width) { return fixed_width ? "DejaVu Sans Mono" : "DejaVu Sans"; }

Letters::Letters(cairo_t* painter, const std::string& text, const TextLook& look) : painter_(painter), look_(look) {
  cairo_select_font_face(painter, font_family(look.fixed_width), CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  const double em = look.size * em_of_capitals(painter);
  cairo_set_font_size(painter, em);
  // A font of Cairo's own strokes is one that a program made.
  const bool strokes = cairo_scaled_font_get_type(cairo_get_scaled_font(painter)) == CAIRO_FONT_TYPE_USER;
  for (Piece& piece : pieces_of(text, look.markup, strokes)) {
    if (piece.text.empty()) continue;
    const double size = piece.raised ? kRaisedSize * em : em;
    cairo_set_font_size(painter, size);
    cairo_text_extents_t extents;
    cairo_text_extents(painter, piece.text.c_str(), &extents);
    runs_.push_back({std::move(piece.text), size, piece.raised ? kRaisedBy * look.size : 0, extents.x_advance});
    width_ += extents.x_advance;
  }
}

cairo_rectangle_t Letters::show(Point at, bool whole) const {
  const double before = look_.align == Align::left ? 0 : look_.align == Align::centre ? 0.5 * width_ : width_;
  double base = (look_.turned ? at.x : at.y) + 0.5 * look_.size;
  if (whole) base = std::round(base);
  cairo_save(painter_);
  if (look_.turned) {
    cairo_translate(painter_, base, at.y);
    cairo_rotate(painter_, -std::numbers::pi / 2);
  } else {
    cairo_translate(painter_, at.x, base);
  }
  double x = -before;
  for (const Run& run : runs_) {
    cairo_set_font_size(painter_, run.size);
    cairo_move_to(painter_, x, -run.raise);
    cairo_show_text(painter_, run.text.c_str());
    x += run.advance;
  }
  cairo_restore(painter_);
  // Twice the capitals hold what hangs below the base line and what is raised above it.
  const double high = 2 * look_.size, room = look_.size;
  if (look_.turned) return {base - high, at.y + before - width_ - room, 2 * high, width_ + 2 * room};
  return {at.x - before - room, base - high, width_ + 2 * room, 2 * high};
}

}  // namespace reber::drawn
