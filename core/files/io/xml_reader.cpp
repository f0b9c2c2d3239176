// SPDX-License-Identifier: BSD-3-Clause
// Expat parses; it is halted at each tag, so that tags can be asked for one by one.
#include "core/files/io/xml_reader.hpp"

#include <expat.h>
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <new>
#include <utility>

#include "core/base/error.hpp"

namespace reber {
namespace {

struct Close {
  void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
};

}  // namespace

/// Expat calls back for every tag; each call halts it, so that tags can be asked for one by one.
struct XmlReader::Parser {
  Parser(std::string_view document, std::string file)
      : rest(document), name(std::move(file)), expat(XML_ParserCreate(nullptr)) {
    if (!expat) throw std::bad_alloc();
    rest.remove_prefix(std::min(rest.find('<'), rest.size()));
    XML_SetUserData(expat.get(), this);
    XML_SetElementHandler(expat.get(), on_open, on_close);
    XML_SetCharacterDataHandler(expat.get(), on_text);
  }

  static void on_open(void* self, const XML_Char* name, const XML_Char** attributes) {
    XmlTag& tag = static_cast<Parser*>(self)->add(name, true);
    for (; attributes[0] != nullptr; attributes += 2) tag.attributes.emplace(attributes[0], attributes[1]);
  }
  static void on_close(void* self, const XML_Char* name) { static_cast<Parser*>(self)->add(name, false); }
  static void on_text(void* self, const XML_Char* text, int length) {
    static_cast<Parser*>(self)->pending.append(text, static_cast<std::size_t>(length));
  }

  XmlTag& add(std::string_view full, bool opens) {
    const std::size_t colon = full.find(':');
    tags.push_back({std::string(colon == std::string_view::npos ? full : full.substr(colon + 1)),
                    opens,
                    {},
                    std::exchange(pending, {})});
    XML_StopParser(expat.get(), XML_TRUE);
    return tags.back();
  }

  /// Parses until a tag is there or the document ends.
  void go_on() {
    constexpr std::size_t kPiece = std::size_t{64} << 20;
    while (tags.empty() && !(ended && !halted)) {
      XML_Status status = XML_STATUS_OK;
      if (halted) {
        status = XML_ResumeParser(expat.get());
      } else {
        const std::string_view piece = rest.substr(0, kPiece);
        rest.remove_prefix(piece.size());
        ended = rest.empty();
        status = XML_Parse(expat.get(), piece.data(), static_cast<int>(piece.size()), ended ? 1 : 0);
      }
      halted = status == XML_STATUS_SUSPENDED;
      if (status == XML_STATUS_ERROR) return fail();
    }
  }

  /// A document that ends too early just ends: who reads it knows what is missing.
  void fail() {
    const XML_Error error = XML_GetErrorCode(expat.get());
    ended = true;
    if (error == XML_ERROR_NO_MEMORY) throw std::bad_alloc();
    if (error == XML_ERROR_NO_ELEMENTS || error == XML_ERROR_UNCLOSED_TOKEN || error == XML_ERROR_PARTIAL_CHAR ||
        error == XML_ERROR_UNCLOSED_CDATA_SECTION)
      return;
    throw DataError(fmt::format("'{}': line {} is not well-formed XML: {}", name, XML_GetCurrentLineNumber(expat.get()),
                                XML_ErrorString(error)));
  }

  std::string_view rest;  ///< not yet given to Expat
  std::string name;
  std::unique_ptr<std::remove_pointer_t<XML_Parser>, Close> expat;
  std::deque<XmlTag> tags;  ///< not yet asked for: an empty element's two tags come at once
  std::string pending;      ///< text behind the last of them
  bool halted = false, ended = false;
};

XmlReader::XmlReader(std::string_view document, std::string name)
    : parser_(std::make_unique<Parser>(document, std::move(name))) {}

XmlReader::~XmlReader() = default;

XmlTag XmlReader::next() {
  if (parser_->tags.empty()) parser_->go_on();
  if (parser_->tags.empty()) return {};
  XmlTag tag = std::move(parser_->tags.front());
  parser_->tags.pop_front();
  return tag;
}

}  // namespace reber
