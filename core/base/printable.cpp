// SPDX-License-Identifier: BSD-3-Clause
// Decodes UTF-8 as far as telling safe characters from others needs it.
#include "core/base/printable.hpp"

#include <fmt/format.h>

namespace reber {
namespace {

/// Length of a well-formed UTF-8 character at `at`, without C1 controls and what is no character; 0 where there is
/// none.
std::size_t utf8_length(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned first = byte(at);
  const std::size_t length = first >= 0xC2 && first < 0xE0   ? 2
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xF0 && first < 0xF5 ? 4
                                                             : 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0U) != 0x80U) return 0;
  }
  if (first == 0xC2 && byte(at + 1) < 0xA0) return 0;
  if (first == 0xE0 && byte(at + 1) < 0xA0) return 0;
  // Halves of surrogates, long forms and numbers beyond U+10FFFF; U+FFFE and U+FFFF.
  if ((first == 0xED && byte(at + 1) >= 0xA0) || (first == 0xF0 && byte(at + 1) < 0x90) ||
      (first == 0xF4 && byte(at + 1) >= 0x90))
    return 0;
  if (first == 0xEF && byte(at + 1) == 0xBF && byte(at + 2) >= 0xBE) return 0;
  // U+2028, U+2029 and the marks that turn the direction of writing.
  if (first == 0xE2 && byte(at + 1) == 0x80 && byte(at + 2) >= 0xA8 && byte(at + 2) <= 0xAE) return 0;
  return length;
}

}  // namespace

std::string printable(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    const std::size_t length = c >= 0x80 ? utf8_length(text, i) : (c >= 32 && c != 127 ? 1 : 0);
    if (length == 0) {
      out += fmt::format("\\x{:02X}", c);
      ++i;
    } else {
      out.append(text, i, length);
      i += length;
    }
  }
  return out;
}

std::string printable_in_markup(const std::string& text) {
  std::string out;
  for (const char c : printable(text)) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&apos;";
        break;
      default:
        out += c;
    }
  return out;
}

}  // namespace reber
