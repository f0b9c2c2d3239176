// SPDX-License-Identifier: BSD-3-Clause
// Background and noise of one cell of a mesh, from its pixels alone.
#pragma once

#include <cstdint>
#include <vector>

#include "core/compute/background.hpp"
#include "kernels/cpu/key_sort.hpp"
#include "kernels/shared/cell_clip.hpp"

namespace reber::cpu {

/// What is asked of all cells.
struct CellRules {
  ClipOptions clip;
  double bias, min_valid, centre;

  /// Whether so many finite pixels of a cell make a value.
  [[nodiscard]] bool enough(std::int64_t finite, std::int64_t area) const {
    return finite >= 3 && !(static_cast<double>(finite) < min_valid * static_cast<double>(area));
  }
};

/// Memory of one worker, kept from cell to cell.
struct CellScratch {
  KeySort sort;
  std::vector<float> sorted;
};

/// The cell sorted, clipped and reduced by the rules of kernels/shared/cell_clip.hpp; NaN in both where too few of its
/// pixels are finite.
[[nodiscard]] rules::CellValue cell_value(const HeldRows& plane, const Rect& cell, const CellRules& given,
                                          CellScratch& scratch);

}  // namespace reber::cpu
