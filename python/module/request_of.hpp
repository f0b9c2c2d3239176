// SPDX-License-Identifier: BSD-3-Clause
// From Python's keywords to a Request, by the table of parameters.
#pragma once

#include <nanobind/nanobind.h>

#include "core/run/request/request.hpp"
#include "core/seam/compute/backend_options.hpp"

namespace reber::python {

/// The rows of the table: name, keywords, kind, unit, help with range, and default of each.
[[nodiscard]] nanobind::list parameter_rows();

/// stages: names among "convolve", "background", "detect" that are on.   settings: keyword -> value; a list of numbers,
/// a text, a number or a truth value as the parameter is. A keyword is the option's name with underscores.
///   throws InputError: a value out of range or of another kind; nanobind::type_error naming the nearest keyword
[[nodiscard]] Request request_of(const nanobind::list& stages, const nanobind::dict& settings);

}  // namespace reber::python
