// SPDX-License-Identifier: BSD-3-Clause
// Numbers that are asked for beside the parameters of a run: of all calls and of the studies. The command line and
// Python take the same ones, by this table.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/run/request/range.hpp"
#include "core/sky/model/beam.hpp"

namespace reber {

/// A row of the table.
struct Bound {
  std::string_view name;    ///< "simulate.rms": command and Python's keyword; "call." for what all commands share
  std::string_view option;  ///< "--rms"
  Range range;
  bool whole = false;  ///< a whole number
  std::string_view unit = {};
};

[[nodiscard]] std::span<const Bound> bounds();
/// The row of that name.   throws InternalError where there is none
[[nodiscard]] const Bound& bound(std::string_view name);

/// What is wrong with the value, without its name: "0 to 1024 was expected"; empty where it is taken. NaN is not.
[[nodiscard]] std::string why_not(const Bound& bound, double value);
/// throws InputError "--threads 5000: 0 to 1024 was expected"
void hold(const Bound& bound, double value);
/// A number of a text, held; whole ones to the last digit up to 2^53.   throws InputError
[[nodiscard]] double held_number(const Bound& bound, std::string_view text);

/// What is wrong with a restoring beam that a user gives, or with one to smooth to: "MAJ >= MIN > 0 was expected
/// ..."; empty where it can be one. How large it may be in an image is seen when its header is open.
[[nodiscard]] std::string why_no_beam(const Beam& beam);

}  // namespace reber
