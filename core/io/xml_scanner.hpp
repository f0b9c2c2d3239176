// SPDX-License-Identifier: BSD-3-Clause
// The tags and texts of an XML document, one after the other: as much of XML as VOTables use.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace reber {

/// A tag with the text in front of it.
struct XmlTag {
  std::string name;                    ///< without a namespace's prefix; empty at the end of the document
  bool opens = false, closes = false;  ///< <a/> does both
  std::map<std::string, std::string, std::less<>> attributes;
  std::string_view text;  ///< between the tag before and this one, as written

  [[nodiscard]] std::string attribute(std::string_view key) const {
    const auto found = attributes.find(key);
    return found == attributes.end() ? std::string() : found->second;
  }
};

/// Walks through a document. Comments, declarations and processing instructions are passed over; entities are the five
/// of XML and numbers: a document type's own are left as they stand.
class XmlScanner {
 public:
  explicit XmlScanner(std::string_view document) : rest_(document) {}
  [[nodiscard]] XmlTag next();

 private:
  std::string_view rest_;
};

/// &lt; and the like as the characters they stand for; line ends and blanks stay.
[[nodiscard]] std::string xml_text(std::string_view raw);

}  // namespace reber
