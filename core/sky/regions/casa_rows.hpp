// SPDX-License-Identifier: BSD-3-Clause
// Rows of outlines as casacore counts them.
#pragma once

#include <memory>

#include "core/base/shape.hpp"
#include "core/sky/regions/region_rows.hpp"
#include "core/sky/regions/regions.hpp"

namespace reber {

/// The outline of an ellipse, a box or a polygon, without its hole. casacore computes in single precision and has a
/// centre on a border where it lies within 1e-5 of its own number, so the same steps are done in the same precision.
///   source: casacore, lattices/LRegions: LCPolygon, LCEllipsoid
[[nodiscard]] std::unique_ptr<OutlineRows> casa_rows(const Region& region, Shape image);

}  // namespace reber
