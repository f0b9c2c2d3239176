// SPDX-License-Identifier: BSD-3-Clause
// XML-RPC as SAMP uses it: texts, lists and maps, and nothing else.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

namespace reber::samp {

/// One value. Numbers and truth values of a peer become texts.
struct Value {
  enum class Kind { text, list, map } kind = Kind::text;
  std::string text;
  std::vector<Value> list;
  std::map<std::string, Value> map;

  Value() = default;
  Value(std::string words) : text(std::move(words)) {}  // NOLINT: a text is a value
  Value(const char* words) : text(words) {}             // NOLINT
  Value(std::map<std::string, Value> members) : kind(Kind::map), map(std::move(members)) {}  // NOLINT

  /// The member of a map; an empty text where there is none.
  [[nodiscard]] std::string member(const std::string& key) const;
};

/// The document of a call. Bytes that XML does not allow are left out.
[[nodiscard]] std::string call_text(const std::string& method, std::span<const Value> arguments);

/// A call of another program.
struct Call {
  std::string method;
  std::vector<Value> arguments;
};
///   name: of the caller, for errors   throws DataError where the document is no call, or nests deeper than 32
[[nodiscard]] Call call_of(const std::string& document, const std::string& name);
/// The document that answers one.
[[nodiscard]] std::string answer_text(const Value& value);

/// The value that a hub answers with.   name: of the hub, for errors
///   throws DataError where the document is no answer, nests deeper than 32, or tells of a fault
[[nodiscard]] Value answer_of(const std::string& document, const std::string& name);

}  // namespace reber::samp
