// SPDX-License-Identifier: BSD-3-Clause
// Cutting of XML at its tags.
#include "core/io/xml_scanner.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

namespace reber {
namespace {

constexpr std::string_view kBlank = " \t\r\n";

/// The end of a construct that begins at `from`, behind `closing`; the document's end where it does not close.
std::size_t behind(std::string_view text, std::string_view closing, std::size_t from) {
  const std::size_t at = text.find(closing, from);
  return at == std::string_view::npos ? text.size() : at + closing.size();
}

/// Behind the '>' of a tag; one within quotes does not end it.
std::size_t tag_end(std::string_view text) {
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quote != 0) {
      if (text[i] == quote) quote = 0;
    } else if (text[i] == '"' || text[i] == '\'') {
      quote = text[i];
    } else if (text[i] == '>') {
      return i + 1;
    }
  }
  return text.size();
}

void read_attributes(std::string_view text, XmlTag& tag) {
  while (true) {
    const std::size_t from = text.find_first_not_of(kBlank);
    if (from == std::string_view::npos) return;
    text.remove_prefix(from);
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) return;
    std::string_view key = text.substr(0, equals);
    key = key.substr(0, key.find_last_not_of(kBlank) + 1);
    text.remove_prefix(equals + 1);
    const std::size_t open = text.find_first_not_of(kBlank);
    if (open == std::string_view::npos || (text[open] != '"' && text[open] != '\'')) return;
    const std::size_t close = text.find(text[open], open + 1);
    if (close == std::string_view::npos) return;
    tag.attributes.emplace(std::string(key), xml_text(text.substr(open + 1, close - open - 1)));
    text.remove_prefix(close + 1);
  }
}

void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += {static_cast<char>(0xC0 | code >> 6), static_cast<char>(0x80 | (code & 0x3F))};
  } else if (code < 0x10000) {
    out += {static_cast<char>(0xE0 | code >> 12), static_cast<char>(0x80 | (code >> 6 & 0x3F)),
            static_cast<char>(0x80 | (code & 0x3F))};
  } else {
    out += '?';
  }
}

/// Appends what the entity (without & and ;) stands for.
bool append_entity(std::string& out, std::string_view entity) {
  static constexpr std::array<std::pair<std::string_view, char>, 5> kNamed{
      {{"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}}};
  for (const auto& [name, character] : kNamed) {
    if (entity != name) continue;
    out += character;
    return true;
  }
  if (entity.size() < 2 || entity[0] != '#') return false;
  const bool hex = entity[1] == 'x';
  const std::string_view digits = entity.substr(hex ? 2 : 1);
  std::uint32_t code = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, hex ? 16 : 10);
  if (error != std::errc() || stop != digits.data() + digits.size()) return false;
  append_utf8(out, code);
  return true;
}

}  // namespace

std::string xml_text(std::string_view raw) {
  std::string out;
  while (!raw.empty()) {
    const std::size_t at = std::min(raw.find('&'), raw.size());
    out += raw.substr(0, at);
    raw.remove_prefix(at);
    if (raw.empty()) break;
    const std::size_t end = raw.find(';');
    constexpr std::size_t kLongest = 10;
    if (end != std::string_view::npos && end <= kLongest && append_entity(out, raw.substr(1, end - 1))) {
      raw.remove_prefix(end + 1);
    } else {
      out += '&';
      raw.remove_prefix(1);
    }
  }
  return out;
}

XmlTag XmlScanner::next() {
  XmlTag tag;
  while (true) {
    const std::size_t open = rest_.find('<');
    if (open == std::string_view::npos) {
      rest_ = {};
      return tag;
    }
    if (tag.text.empty()) tag.text = rest_.substr(0, open);
    rest_.remove_prefix(open);
    if (rest_.starts_with("<![CDATA[")) {
      const std::size_t end = behind(rest_, "]]>", 9);
      tag.text = rest_.substr(9, end >= 12 ? end - 12 : 0);
      rest_.remove_prefix(end);
      continue;
    }
    if (rest_.starts_with("<!--")) {
      rest_.remove_prefix(behind(rest_, "-->", 4));
      continue;
    }
    if (rest_.starts_with("<!") || rest_.starts_with("<?")) {
      rest_.remove_prefix(behind(rest_, ">", 1));
      continue;
    }
    break;
  }
  const std::size_t end = tag_end(rest_);
  std::string_view body = rest_.substr(1, end > 1 ? end - 2 : 0);
  rest_.remove_prefix(end);
  tag.opens = body.empty() || body.front() != '/';
  tag.closes = !tag.opens || (!body.empty() && body.back() == '/');
  if (!tag.opens) body.remove_prefix(1);
  if (tag.opens && tag.closes) body.remove_suffix(1);
  const std::size_t name = std::min(body.find_first_of(kBlank), body.size());
  const std::string_view full = body.substr(0, name);
  const std::size_t colon = full.find(':');
  tag.name = std::string(colon == std::string_view::npos ? full : full.substr(colon + 1));
  if (tag.opens) read_attributes(body.substr(name), tag);
  if (tag.name.empty()) tag.name.assign(1, '?');  // <> is no end of the document
  return tag;
}

}  // namespace reber
