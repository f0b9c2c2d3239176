// SPDX-License-Identifier: BSD-3-Clause
// What fits do not know of the background under them.
#pragma once

#include <span>
#include <vector>

#include "core/measure/sources/source.hpp"
#include "core/seam/compute/background.hpp"

namespace reber {

/// Sets the error of the background's level of each fit whose brightest pixel a local level reaches: the largest of
/// theirs there. The others stay.
void set_level_errors(std::vector<LocalLevel> levels, std::span<SourceRow> rows);

}  // namespace reber
