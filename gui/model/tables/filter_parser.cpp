// SPDX-License-Identifier: BSD-3-Clause
// Recursive descent over a filter's text; each function below takes one level of precedence.
#include "gui/model/tables/filter_parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/error.hpp"

namespace reber::gui {
namespace {

using Op = FilterExpression::Op;
using Step = FilterExpression::Step;

enum class Type { number, text_column, text };

/// What a part of the expression is. Numbers and conditions leave steps behind; text waits for its comparison.
struct Value {
  Type type = Type::number;
  std::size_t column = 0;
  std::string text;
  std::size_t at = 0;
};

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// Letters that differ between two names, case ignored: the least number of changes.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({change, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

class Parser {
 public:
  Parser(const std::string& text, const Catalogue& catalogue) : text_(text), catalogue_(catalogue) {}

  std::vector<Step> parse() {
    skip_space();
    if (at_ == text_.size()) return {};
    number_of(disjunction());
    skip_space();
    if (at_ != text_.size()) fail(at_, fmt::format("'{}' is left over; conditions are joined by && or ||", rest()));
    return std::move(steps_);
  }

 private:
  /// Parentheses and signs nest; the machine's stack and this parser's must both hold them.
  static constexpr int kDeepest = 64;

  [[noreturn]] void fail(std::size_t at, const std::string& what) const {
    throw InputError(fmt::format("filter, character {}: {}", at + 1, what));
  }
  [[nodiscard]] std::string rest() const { return text_.substr(at_, 20); }
  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool take(std::string_view token) {
    skip_space();
    if (text_.compare(at_, token.size(), token) != 0) return false;
    const auto wordy = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    const std::size_t end = at_ + token.size();
    if (wordy(token.back()) && end < text_.size() && wordy(text_[end])) return false;
    at_ = end;
    return true;
  }
  void emit(Op op) { steps_.push_back({op, 0, 0, {}}); }

  /// The value as a number on the machine's stack.
  void number_of(const Value& value) {
    if (value.type == Type::number) return;
    if (value.type == Type::text) fail(value.at, fmt::format("\"{}\" is text where a number is needed", value.text));
    fail(value.at, fmt::format("column {} holds text; compare it as in {} == \"...\"", name_of(value.column),
                               name_of(value.column)));
  }
  [[nodiscard]] const std::string& name_of(std::size_t column) const { return catalogue_.columns[column].info.name; }

  Value disjunction() {
    Value left = conjunction();
    while (take("||") || take("or")) {
      number_of(left);
      number_of(conjunction());
      emit(Op::logical_or);
      left = {};
    }
    return left;
  }
  Value conjunction() {
    Value left = negation();
    while (take("&&") || take("and")) {
      number_of(left);
      number_of(negation());
      emit(Op::logical_and);
      left = {};
    }
    return left;
  }
  Value negation() {
    skip_space();
    const bool differs = text_.compare(at_, 2, "!=") == 0;
    if (!differs && (take("!") || take("not"))) {
      const Depth depth(*this);
      number_of(negation());
      emit(Op::logical_not);
      return {};
    }
    return comparison();
  }
  Value comparison() {
    Value left = sum();
    static constexpr std::array<std::pair<std::string_view, Op>, 8> kOperators = {{{"<=", Op::less_equal},
                                                                                   {">=", Op::greater_equal},
                                                                                   {"==", Op::equal},
                                                                                   {"!=", Op::differs},
                                                                                   {"<", Op::less},
                                                                                   {">", Op::greater},
                                                                                   {"=", Op::equal},
                                                                                   {"~", Op::text_contains}}};
    for (const auto& [token, op] : kOperators) {
      if (!take(token)) continue;
      const std::size_t where = at_ - token.size();
      const Value right = sum();
      if (left.type == Type::number && right.type == Type::number && op != Op::text_contains) {
        emit(op);
      } else {
        text_comparison(left, right, op, where);
      }
      return {};
    }
    return left;
  }
  void text_comparison(const Value& left, const Value& right, Op op, std::size_t where) {
    const Value* column = left.type == Type::text_column ? &left : &right;
    const Value* text = left.type == Type::text_column ? &right : &left;
    if (column->type != Type::text_column || text->type != Type::text)
      fail(where, "text is compared as in S_Code == \"C\", a column on one side and quoted text on the other");
    if (op != Op::equal && op != Op::differs && op != Op::text_contains)
      fail(where, "text is compared by ==, != or ~ (contains)");
    const Op step = op == Op::equal ? Op::text_equal : op == Op::differs ? Op::text_differs : Op::text_contains;
    steps_.push_back({step, 0, column->column, text->text});
  }
  Value sum() {
    Value left = product();
    for (;;) {
      const Op op = take("+") ? Op::add : take("-") ? Op::subtract : Op::number;
      if (op == Op::number) return left;
      number_of(left);
      number_of(product());
      emit(op);
      left = {};
    }
  }
  Value product() {
    Value left = sign();
    for (;;) {
      skip_space();
      const bool conjunction_follows = text_.compare(at_, 2, "&&") == 0;
      const Op op = take("*")                           ? Op::multiply
                    : take("/")                         ? Op::divide
                    : !conjunction_follows && take("&") ? Op::bits
                                                        : Op::number;
      if (op == Op::number) return left;
      number_of(left);
      number_of(sign());
      emit(op);
      left = {};
    }
  }
  Value sign() {
    const Depth depth(*this);
    if (take("-")) {
      number_of(sign());
      emit(Op::negate);
      return {};
    }
    if (take("+")) return sign();
    return power();
  }
  Value power() {
    Value left = primary();
    if (!take("^")) return left;
    number_of(left);
    number_of(sign());
    emit(Op::power);
    return {};
  }
  Value primary() {
    skip_space();
    const std::size_t start = at_;
    if (take("(")) {
      const Depth depth(*this);
      Value inside = disjunction();
      if (!take(")")) fail(start, "this parenthesis is not closed");
      return inside;
    }
    if (at_ == text_.size()) fail(at_, "a column, a number or a parenthesis is missing at the end");
    const char c = text_[at_];
    if (c == '"' || c == '\'') return quoted(c);
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.') return literal();
    if (std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_') return word();
    fail(at_, fmt::format("a column, a number or quoted text was expected, not '{}'", rest()));
  }
  Value quoted(char quote) {
    const std::size_t start = at_++;
    const std::size_t end = text_.find(quote, at_);
    if (end == std::string::npos) fail(start, "the quoted text has no end");
    Value value{Type::text, 0, text_.substr(at_, end - at_), start};
    at_ = end + 1;
    return value;
  }
  Value literal() {
    double number = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), number);
    if (error != std::errc()) fail(at_, fmt::format("'{}' is no number", rest()));
    at_ = static_cast<std::size_t>(end - text_.data());
    steps_.push_back({Op::number, number, 0, {}});
    return {};
  }
  Value word() {
    const std::size_t start = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
      ++at_;
    const std::string name = text_.substr(start, at_ - start);
    if (const auto column = find_column(name)) return column_value(*column, start);
    static const std::array<std::pair<std::string_view, Op>, 6> kFunctions = {{{"abs", Op::abs},
                                                                               {"sqrt", Op::sqrt},
                                                                               {"log10", Op::log10},
                                                                               {"ln", Op::ln},
                                                                               {"exp", Op::exp},
                                                                               {"isnan", Op::isnan}}};
    for (const auto& [function, op] : kFunctions) {
      if (name != function) continue;
      if (!take("(")) fail(at_, fmt::format("{} needs its argument in parentheses", name));
      const Depth depth(*this);
      number_of(disjunction());
      if (!take(")")) fail(start, fmt::format("the parenthesis of {} is not closed", name));
      emit(op);
      return {};
    }
    static const std::array<std::pair<std::string_view, double>, 3> kConstants = {
        {{"pi", std::numbers::pi}, {"true", 1}, {"false", 0}}};
    for (const auto& [constant, number] : kConstants) {
      if (name != constant) continue;
      steps_.push_back({Op::number, number, 0, {}});
      return {};
    }
    fail(start, fmt::format("there is no column {}{}", name, nearest(name)));
  }
  Value column_value(std::size_t column, std::size_t start) {
    if (std::holds_alternative<std::vector<std::string>>(catalogue_.columns[column].values))
      return {Type::text_column, column, {}, start};
    steps_.push_back({Op::column, 0, column, {}});
    return {};
  }
  [[nodiscard]] std::optional<std::size_t> find_column(const std::string& name) const {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < catalogue_.columns.size(); ++i) {
      if (name_of(i) == name) return i;
      if (lower(name_of(i)) == lower(name)) found = found ? catalogue_.columns.size() : i;
    }
    return found && *found < catalogue_.columns.size() ? found : std::nullopt;
  }
  [[nodiscard]] std::string nearest(const std::string& name) const {
    std::size_t best = 4;
    std::string who;
    for (const Column& column : catalogue_.columns) {
      const std::size_t d = distance(lower(column.info.name), lower(name));
      if (d < best) {
        best = d;
        who = column.info.name;
      }
    }
    return who.empty() ? "; the columns are named in the table's head" : fmt::format("; did you mean {}?", who);
  }

  class Depth {
   public:
    explicit Depth(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > kDeepest) parser_.fail(parser_.at_, "too many parentheses or signs within each other");
    }
    ~Depth() { --parser_.depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;

   private:
    Parser& parser_;
  };

  const std::string& text_;
  const Catalogue& catalogue_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::vector<Step> steps_;
};

}  // namespace

std::vector<FilterExpression::Step> parse_filter(const std::string& text, const Catalogue& catalogue) {
  return Parser(text, catalogue).parse();
}

}  // namespace reber::gui
