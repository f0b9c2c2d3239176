// SPDX-License-Identifier: BSD-3-Clause
// How a result was made, for the HISTORY of its files.
#pragma once

#include <string>
#include <vector>

#include "core/run/pipeline/result.hpp"

namespace reber {

/// Lines for the HISTORY of every product: program and input, backend, options as given, then what each stage did.
/// result: its report and its outcomes up to `judge`.
[[nodiscard]] std::vector<std::string> history_lines(const Request& request, const Result& result);

}  // namespace reber
