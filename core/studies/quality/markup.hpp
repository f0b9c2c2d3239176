// SPDX-License-Identifier: BSD-3-Clause
// HTML and XML whose text cannot become markup: names come from the program alone, everything else is escaped.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace reber {

/// The name of an element or attribute: a literal of letters, digits, "-" and ":". Anything else does not compile.
class MarkupName {
 public:
  template <std::size_t n>
  consteval MarkupName(const char (&literal)[n]) : text_(literal, n - 1) {  // NOLINT(google-explicit-constructor)
    for (const char c : text_)
      if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == ':'))
        throw "no name of an element or attribute";
  }
  [[nodiscard]] constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

struct Attribute {
  MarkupName name;
  std::string value;
};

/// Writes a document, element by element.
class Markup {
 public:
  using Attributes = std::initializer_list<Attribute>;
  Markup& open(MarkupName name, Attributes attributes = {});
  Markup& close();  ///< the element that was opened last and is not closed
  /// <, >, &, both quotes escaped; control bytes and malformed UTF-8 as printable() writes them.
  Markup& text(const std::string& text);
  /// An element that holds text.
  Markup& leaf(MarkupName name, const std::string& text, Attributes attributes = {}) {
    return open(name, attributes).text(text).close();
  }
  /// An element that holds nothing: <img/>.
  Markup& empty(MarkupName name, Attributes attributes = {});
  /// The style sheet, which is the program's own.
  Markup& style(std::string_view sheet);

  /// The document behind its first line.   throws InternalError where an element is still open
  [[nodiscard]] std::string finished(std::string_view first_line) const;

 private:
  void begin(MarkupName name, Attributes attributes);
  std::string out_;
  std::vector<std::string_view> open_;
};

/// Bytes as the address of an image: "data:image/png;base64,...".
[[nodiscard]] std::string data_uri(std::string_view type, std::string_view bytes);

}  // namespace reber
