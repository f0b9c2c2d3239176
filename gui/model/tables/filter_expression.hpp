// SPDX-License-Identifier: BSD-3-Clause
// The expression by which the source table is filtered: parsed once, then computed column by column.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/sky/model/catalogue.hpp"

namespace reber::gui {

/// A condition on the columns of a catalogue, such as `SNR > 7 && Maj*3600 < 30 && S_Code == "C"`.
///
///   || && !   < <= > >= == !=   ~ (text contains)   & (common bits)   + - * / ^   ( )
///   abs sqrt log10 ln exp isnan        also: or, and, not, =, true, false, pi
///
/// Names are the columns' own (capitals do not matter where that is unambiguous); numbers are in the columns' units.
/// A missing value (NaN) fails every comparison, != included; isnan(x) finds it. A number stands as a condition where
/// it is not zero. Whole numbers beyond 2^53 are rounded.
class FilterExpression {
 public:
  /// Empty text accepts every row.
  ///   throws InputError that says what was expected and at which character
  FilterExpression(const std::string& text, const Catalogue& catalogue);

  /// One byte per row: 1 where the condition holds. The catalogue is the one it was made for.
  [[nodiscard]] std::vector<std::uint8_t> evaluate(const Catalogue& catalogue) const;

  enum class Op : std::uint8_t {
    number,
    column,
    text_equal,
    text_differs,
    text_contains,
    add,
    subtract,
    multiply,
    divide,
    power,
    bits,
    negate,
    less,
    less_equal,
    greater,
    greater_equal,
    equal,
    differs,
    logical_and,
    logical_or,
    logical_not,
    abs,
    sqrt,
    log10,
    ln,
    exp,
    isnan
  };
  /// One step of the stack machine. column: index, for the operations that read one; text: what it is compared with.
  struct Step {
    Op op = Op::number;
    double number = 0;
    std::size_t column = 0;
    std::string text;
  };

 private:
  std::vector<Step> steps_;
};

}  // namespace reber::gui
