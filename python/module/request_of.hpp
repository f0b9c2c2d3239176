// SPDX-License-Identifier: BSD-3-Clause
// From Python's keywords to a Request, by the table of parameters.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "core/run/request/request.hpp"
#include "core/seam/compute/backend_options.hpp"

namespace reber::python {

/// The rows of the table: name, keywords, kind, unit, help with range, default, and of numbers the range: its ends, and
/// whether the lower one is refused.
[[nodiscard]] nanobind::list parameter_rows();

/// The table of bounds: name, option, both ends, whether the lower one is refused, whether it is a whole number.
[[nodiscard]] nanobind::list bound_rows();
/// The text that the command line would have for a value: lists with commas between.
[[nodiscard]] std::string text_of(nanobind::handle value);
/// A number of the table of bounds.   bound: its name.   throws InputError: no number, or none that is taken
[[nodiscard]] double number_of(nanobind::handle value, std::string_view bound);
/// True, False, 1, 0 or the command line's words.   throws InputError for all else
[[nodiscard]] bool truth_of(nanobind::handle value, const std::string& keyword);
/// A whole number from 0 of 64 bits.   throws InputError
[[nodiscard]] std::uint64_t seed_of(nanobind::handle value);

/// stages: names among "convolve", "background", "detect" that are on.   settings: keyword -> value; a list of numbers,
/// a text, a number or a truth value as the parameter is. A keyword is the option's name with underscores.
///   throws InputError: a value out of range or of another kind; nanobind::type_error naming the nearest keyword
[[nodiscard]] Request request_of(const nanobind::list& stages, const nanobind::dict& settings);

}  // namespace reber::python
