// SPDX-License-Identifier: BSD-3-Clause
// The tags and texts of an XML document, one after the other.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace reber {

/// A tag with the text in front of it.
struct XmlTag {
  std::string name;    ///< without a namespace's prefix; empty at the end of the document
  bool opens = false;  ///< else it closes; <a/> opens, then closes
  std::map<std::string, std::string, std::less<>> attributes;
  std::string text;  ///< UTF-8, between the tag before and this one

  [[nodiscard]] std::string attribute(std::string_view key) const {
    const auto found = attributes.find(key);
    return found == attributes.end() ? std::string() : found->second;
  }
};

/// Walks through a document with Expat.
class XmlReader {
 public:
  /// document: must outlive the reader;   name: of the file, for errors
  XmlReader(std::string_view document, std::string name);
  ~XmlReader();
  XmlReader(const XmlReader&) = delete;
  XmlReader& operator=(const XmlReader&) = delete;

  /// The next tag; one without a name at the end of the document, also where it ends too early.
  ///   throws DataError where the document is not well-formed, with the line
  [[nodiscard]] XmlTag next();

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace reber
