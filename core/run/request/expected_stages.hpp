// SPDX-License-Identifier: BSD-3-Clause
// What a request will do, for the bar.
#pragma once

#include <string>
#include <vector>

#include "core/run/request/request.hpp"

namespace reber {

/// The stages of the pipeline that take time, by the words in which they report: WholeProgress::expect()'s.
[[nodiscard]] std::vector<std::string> expected_stages(const Request& request);

}  // namespace reber
