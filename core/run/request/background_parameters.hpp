// SPDX-License-Identifier: BSD-3-Clause
// The rows of the background.
#pragma once

#include <span>

#include "core/run/request/parameter.hpp"

namespace reber {

/// Part of parameters(), in the order of help pages.
[[nodiscard]] std::span<const Parameter> background_parameters();

}  // namespace reber
