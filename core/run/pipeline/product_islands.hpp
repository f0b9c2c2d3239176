// SPDX-License-Identifier: BSD-3-Clause
// Maps of islands: their labels, and the mask that they make.
#pragma once

#include "core/run/pipeline/product_table.hpp"

namespace reber {

/// The number of each pixel's island, 0 outside; the run has islands. May be drawn on another thread than the
/// backend's.
[[nodiscard]] IntRows label_rows(const ProductSource& source);

}  // namespace reber
