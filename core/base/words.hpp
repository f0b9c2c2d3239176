// SPDX-License-Identifier: BSD-3-Clause
// Words of enums: one list per enum, beside it, from which options, files, tables and menus take them.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/base/error.hpp"

namespace reber {

/// One value of an enum as users write and see it.
template <class E>
struct Word {
  std::string_view word;  ///< on the command line and in files; never changes
  E value;
  std::string_view text;        ///< in menus
  std::string_view alias = {};  ///< another word that is read, not written
};

/// The list of an enum's words, in the order in which users see them. An enum that users name specialises it right
/// after its definition:
///   template <> inline constexpr auto words<Side> = std::to_array<Word<Side>>({{"left", Side::left, "left"}, ...});
template <class E>
inline constexpr std::array<Word<E>, 0> words{};

template <class E>
concept Worded = std::is_enum_v<E> && words<E>
.size() > 0;

/// The word of a value.
template <Worded E>
[[nodiscard]] constexpr std::string_view to_string(E value) {
  for (const Word<E>& row : words<E>)
    if (row.value == value) return row.word;
  return "?";
}

/// The value of a word or of its alias.
template <Worded E>
[[nodiscard]] constexpr std::optional<E> find_word(std::string_view word) {
  for (const Word<E>& row : words<E>)
    if (row.word == word || (!row.alias.empty() && row.alias == word)) return row.value;
  return std::nullopt;
}

/// All words with `between` between them: "zero|reflect|mirror".
template <Worded E>
[[nodiscard]] std::string all_words(std::string_view between) {
  std::string text;
  for (const Word<E>& row : words<E>) {
    if (!text.empty()) text += between;
    text += row.word;
  }
  return text;
}

/// what: the option or key, for the message.   throws InputError that lists the words
template <Worded E>
[[nodiscard]] E from_string(std::string_view word, std::string_view what) {
  if (const auto value = find_word<E>(word)) return *value;
  throw InputError(std::string(what) + " '" + std::string(word) + "': one of " + all_words<E>(", ") + " was expected");
}

}  // namespace reber
