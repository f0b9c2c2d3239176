// SPDX-License-Identifier: BSD-3-Clause
// Background and noise of one cell of a mesh, from its pixels alone.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/seam/compute/background.hpp"
#include "kernels/cpu/cell_sift.hpp"
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
  CellSift sift;
  KeySort sort;
  std::vector<float> sorted;
};

inline constexpr double kBlank = std::numeric_limits<double>::quiet_NaN();
inline constexpr ClippedCell kBlankCell{kBlank, kBlank, kBlank};

/// The cell clipped by the rules of kernels/shared/cell_clip.hpp: sifted where that serves, else sorted.
[[nodiscard]] ClippedCell clipped_cell(const HeldRows& plane, const Rect& cell, const CellRules& given,
                                       CellScratch& scratch);

/// The same, sorted in any case: for tests.
[[nodiscard]] ClippedCell sorted_cell(const HeldRows& plane, const Rect& cell, const CellRules& given,
                                      CellScratch& scratch);

inline rules::CellValue value_of(const ClippedCell& cell, const CellRules& given) {
  return rules::cell_value(cell.median, cell.mean, cell.std, given.bias, given.centre);
}

}  // namespace reber::cpu
