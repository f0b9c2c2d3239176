// SPDX-License-Identifier: BSD-3-Clause
// The median filter of a mesh, of some rows of cells while others are still to be measured.
#pragma once

#include <cstdint>
#include <vector>

namespace reber {

/// Rows [first, end) of ny x nx cells filtered as finish_mesh filters them. NaN where the window holds a cell without a
/// value, which finish_mesh would mend.   values: known from row first - side / 2 to end + side / 2
void filter_cell_rows(const std::vector<float>& values, std::int64_t ny, std::int64_t nx, int side, std::int64_t first,
                      std::int64_t end, std::vector<float>& filtered);

}  // namespace reber
