// SPDX-License-Identifier: BSD-3-Clause
// Computes a filter in blocks of rows that stay in the first-level cache: one pass per step over a block.
#include "gui/model/tables/filter_expression.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "core/base/error.hpp"
#include "gui/model/tables/filter_parser.hpp"

namespace reber::gui {
namespace {

using Op = FilterExpression::Op;
using Step = FilterExpression::Step;

constexpr std::size_t kBlock = 1024;
using Block = std::array<double, kBlock>;

template <class Rule>
void binary(Block& a, const Block& b, std::size_t n, const Rule& rule) {
  for (std::size_t i = 0; i < n; ++i) a[i] = static_cast<double>(rule(a[i], b[i]));
}

template <class Rule>
void unary(Block& a, std::size_t n, const Rule& rule) {
  for (std::size_t i = 0; i < n; ++i) a[i] = static_cast<double>(rule(a[i]));
}

double common_bits(double a, double b) {
  constexpr double kWhole = 9007199254740992.0;  // 2^53
  if (!(std::abs(a) <= kWhole && std::abs(b) <= kWhole)) return NAN;
  return static_cast<double>(static_cast<std::int64_t>(a) & static_cast<std::int64_t>(b));
}

void fetch(Block& out, const Column& column, std::size_t first, std::size_t n) {
  if (const auto* real = std::get_if<std::vector<double>>(&column.values)) {
    std::copy_n(real->begin() + static_cast<std::ptrdiff_t>(first), n, out.begin());
    return;
  }
  const auto& whole = std::get<std::vector<std::int64_t>>(column.values);
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<double>(whole[first + i]);
}

void compare_text(Block& out, const Column& column, const Step& step, std::size_t first, std::size_t n) {
  const auto& values = std::get<std::vector<std::string>>(column.values);
  const std::string_view wanted = step.text;
  for (std::size_t i = 0; i < n; ++i) {
    const std::string_view value = values[first + i];
    const bool holds = step.op == Op::text_equal     ? value == wanted
                       : step.op == Op::text_differs ? value != wanted
                                                     : value.find(wanted) != std::string_view::npos;
    out[i] = holds ? 1 : 0;
  }
}

bool is_true(double v) { return v != 0 && !std::isnan(v); }

void binary_step(Op op, Block& a, const Block& b, std::size_t n) {
  switch (op) {
    case Op::add:
      return binary(a, b, n, [](double x, double y) { return x + y; });
    case Op::subtract:
      return binary(a, b, n, [](double x, double y) { return x - y; });
    case Op::multiply:
      return binary(a, b, n, [](double x, double y) { return x * y; });
    case Op::divide:
      return binary(a, b, n, [](double x, double y) { return x / y; });
    case Op::power:
      return binary(a, b, n, [](double x, double y) { return std::pow(x, y); });
    case Op::bits:
      return binary(a, b, n, common_bits);
    case Op::less:
      return binary(a, b, n, [](double x, double y) { return x < y; });
    case Op::less_equal:
      return binary(a, b, n, [](double x, double y) { return x <= y; });
    case Op::greater:
      return binary(a, b, n, [](double x, double y) { return x > y; });
    case Op::greater_equal:
      return binary(a, b, n, [](double x, double y) { return x >= y; });
    case Op::equal:
      return binary(a, b, n, [](double x, double y) { return x == y; });
    case Op::differs:
      return binary(a, b, n, [](double x, double y) { return x < y || x > y; });
    case Op::logical_and:
      return binary(a, b, n, [](double x, double y) { return is_true(x) && is_true(y); });
    case Op::logical_or:
      return binary(a, b, n, [](double x, double y) { return is_true(x) || is_true(y); });
    default:
      throw InternalError("filter: a step of one argument was taken for one of two");
  }
}

void unary_step(Op op, Block& a, std::size_t n) {
  switch (op) {
    case Op::negate:
      return unary(a, n, [](double x) { return -x; });
    case Op::logical_not:
      return unary(a, n, [](double x) { return !is_true(x); });
    case Op::abs:
      return unary(a, n, [](double x) { return std::abs(x); });
    case Op::sqrt:
      return unary(a, n, [](double x) { return std::sqrt(x); });
    case Op::log10:
      return unary(a, n, [](double x) { return std::log10(x); });
    case Op::ln:
      return unary(a, n, [](double x) { return std::log(x); });
    case Op::exp:
      return unary(a, n, [](double x) { return std::exp(x); });
    case Op::isnan:
      return unary(a, n, [](double x) { return std::isnan(x); });
    default:
      throw InternalError("filter: a step of two arguments was taken for one of one");
  }
}

bool takes_two(Op op) { return (op >= Op::add && op <= Op::bits) || (op >= Op::less && op <= Op::logical_or); }

/// Blocks that the steps have on the stack at most.
std::size_t deepest(const std::vector<Step>& steps) {
  std::size_t now = 0, most = 0;
  for (const Step& step : steps) {
    if (step.op <= Op::text_contains) ++now;
    if (takes_two(step.op)) --now;
    most = std::max(most, now);
  }
  return most;
}

}  // namespace

FilterExpression::FilterExpression(const std::string& text, const Catalogue& catalogue)
    : steps_(parse_filter(text, catalogue)) {}

std::vector<std::uint8_t> FilterExpression::evaluate(const Catalogue& catalogue) const {
  const auto rows = static_cast<std::size_t>(catalogue.rows());
  std::vector<std::uint8_t> accepted(rows, 1);
  if (steps_.empty()) return accepted;
  std::vector<Block> stack(deepest(steps_));
  for (std::size_t first = 0; first < rows; first += kBlock) {
    const std::size_t n = std::min(kBlock, rows - first);
    std::size_t depth = 0;
    for (const Step& step : steps_) {
      if (step.op == Op::number) {
        std::fill_n(stack[depth++].begin(), n, step.number);
      } else if (step.op == Op::column) {
        fetch(stack[depth++], catalogue.columns[step.column], first, n);
      } else if (step.op <= Op::text_contains) {
        compare_text(stack[depth++], catalogue.columns[step.column], step, first, n);
      } else if (takes_two(step.op)) {
        --depth;
        binary_step(step.op, stack[depth - 1], stack[depth], n);
      } else {
        unary_step(step.op, stack[depth - 1], n);
      }
    }
    for (std::size_t i = 0; i < n; ++i) accepted[first + i] = is_true(stack[0][i]) ? 1 : 0;
  }
  return accepted;
}

}  // namespace reber::gui
