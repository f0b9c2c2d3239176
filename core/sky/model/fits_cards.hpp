// SPDX-License-Identifier: BSD-3-Clause
// The cards of one FITS header, looked up by keyword.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reber::fits {

inline constexpr int kCardBytes = 80;
inline constexpr int kBlockBytes = 2880;

/// 80-character cards by keyword. Where a keyword stands twice the last one counts, as in WCSLIB.
class CardTable {
 public:
  CardTable() = default;
  /// cards: whole 80-character cards, END left out.
  explicit CardTable(std::string cards);

  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(cards_.size()) / kCardBytes; }
  [[nodiscard]] std::string_view card(std::int64_t i) const {
    return std::string_view(cards_).substr(static_cast<std::size_t>(i) * kCardBytes, kCardBytes);
  }
  [[nodiscard]] const std::string& text() const { return cards_; }

  [[nodiscard]] bool has(const std::string& keyword) const { return last_.count(keyword) != 0; }
  /// The value field as written, without blanks around it and without the comment; empty where there is none.
  [[nodiscard]] std::string raw(const std::string& keyword) const;
  /// A quoted string, trailing blanks dropped, '' as one quote, CONTINUE cards joined.
  [[nodiscard]] std::optional<std::string> string(const std::string& keyword) const;
  /// Any number; D exponents too. Infinite where it does not fit a double; empty for what is not a number.
  [[nodiscard]] std::optional<double> number(const std::string& keyword) const;
  /// An integer that fits 64 bits; empty for anything else.
  [[nodiscard]] std::optional<std::int64_t> integer(const std::string& keyword) const;
  [[nodiscard]] bool is_true(const std::string& keyword) const { return raw(keyword) == "T"; }
  /// Keywords that stand more than once with different values (HISTORY, COMMENT, blank and CONTINUE aside).
  [[nodiscard]] const std::vector<std::string>& duplicates() const { return duplicates_; }

 private:
  std::string cards_;
  std::map<std::string, std::int64_t, std::less<>> last_;
  std::vector<std::string> duplicates_;
};

/// Keyword of a card: the first eight characters without trailing blanks.
[[nodiscard]] std::string keyword_of(std::string_view card);
/// Value field of a card as written, without the comment; empty where the card has no "=" in column 9.
[[nodiscard]] std::string value_of(std::string_view card);
/// The text of a quoted value field, trailing blanks dropped; empty where it does not begin and end with a quote.
[[nodiscard]] std::optional<std::string> quoted_text(std::string_view field);
/// A number as FITS writes it. Infinite where it does not fit.
[[nodiscard]] std::optional<double> parse_number(std::string_view text);
/// A keyword without the axis number at its end: "NAXIS2" -> ("NAXIS", 2); 0 where there is none.
[[nodiscard]] std::pair<std::string, int> split_number(const std::string& keyword);

/// One card of exactly 80 characters, in the standard's fixed format.
[[nodiscard]] std::string make_card(const std::string& keyword, std::int64_t value, const std::string& comment = {});
[[nodiscard]] std::string make_card(const std::string& keyword, double value, const std::string& comment = {});
[[nodiscard]] std::string make_logical_card(const std::string& keyword, bool value, const std::string& comment = {});
[[nodiscard]] std::string make_text_card(const std::string& keyword, const std::string& value,
                                         const std::string& comment = {});
/// HISTORY or COMMENT cards, folded at 72 characters; bytes that FITS does not allow become '?'.
[[nodiscard]] std::vector<std::string> fold_cards(const std::string& keyword, const std::string& text);
/// The text with bytes outside 32 to 126 as '?'.
[[nodiscard]] std::string restrict_to_ascii(std::string_view text);

}  // namespace reber::fits
