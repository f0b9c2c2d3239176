// SPDX-License-Identifier: BSD-3-Clause
// The table of parameters: one row per parameter, from which every way in and every text about it is made.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/run/request/parameter.hpp"

namespace reber {

/// All parameters. A new one is the struct's member and a row here.
[[nodiscard]] std::span<const Parameter> parameters();

/// The row of that name or alias; null where there is none.
[[nodiscard]] const Parameter* find_parameter(std::string_view name, std::span<const Parameter> rows = parameters());

/// Every option in force as a line: the call's own, then those of the table. What configuration files hold, and HISTORY
/// after "option: ".   throws InputError as option_line
[[nodiscard]] std::vector<std::string> options_in_force(const Request& request);

}  // namespace reber
