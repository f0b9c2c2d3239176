// SPDX-License-Identifier: BSD-3-Clause
// Pixels of another grid, in double and in plain words.
#pragma once

#include <memory>

#include "core/sky/model/place_grid.hpp"
#include "core/sky/model/resample_table.hpp"
#include "kernels/reference/plane.hpp"

namespace reber::reference {

/// resample() of the backend.
[[nodiscard]] std::unique_ptr<HostPlane> resample(const HostPlane& plane, const PlaceGrid& places,
                                                  const ResampleTable& table, const Job& job);

}  // namespace reber::reference
