// SPDX-License-Identifier: BSD-3-Clause
// Elements and base64.
#include "core/studies/quality/markup.hpp"

#include "core/base/error.hpp"
#include "core/base/printable.hpp"

namespace reber {

void Markup::begin(MarkupName name, Attributes attributes) {
  out_ += '<';
  out_ += name.text();
  for (const Attribute& one : attributes) {
    out_ += ' ';
    out_ += one.name.text();
    out_ += "=\"" + printable_in_markup(one.value) + '"';
  }
}

Markup& Markup::open(MarkupName name, Attributes attributes) {
  begin(name, attributes);
  out_ += '>';
  open_.push_back(name.text());
  return *this;
}

Markup& Markup::close() {
  if (open_.empty()) throw InternalError("markup: no element is open");
  out_ += "</";
  out_ += open_.back();
  out_ += '>';
  // Lines for whoever reads the source, where blanks mean nothing.
  if (open_.size() < 5) out_ += '\n';
  open_.pop_back();
  return *this;
}

Markup& Markup::text(const std::string& text) {
  out_ += printable_in_markup(text);
  return *this;
}

Markup& Markup::empty(MarkupName name, Attributes attributes) {
  begin(name, attributes);
  out_ += "/>";
  return *this;
}

Markup& Markup::style(std::string_view sheet) {
  out_ += "<style>";
  out_ += sheet;
  out_ += "</style>\n";
  return *this;
}

std::string Markup::finished(std::string_view first_line) const {
  if (!open_.empty()) throw InternalError("markup: an element is open");
  return std::string(first_line) + "\n" + out_;
}

std::string data_uri(std::string_view type, std::string_view bytes) {
  static constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out = "data:" + std::string(type) + ";base64,";
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned word = 0;
    for (std::size_t k = 0; k < 3; ++k)
      word = word << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) out += i + k > bytes.size() ? '=' : kDigits[word >> (18 - 6 * k) & 63];
  }
  return out;
}

}  // namespace reber
