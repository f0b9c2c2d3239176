// SPDX-License-Identifier: BSD-3-Clause
// Which parts of rows are read for the pixels of runs alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/shape.hpp"
#include "kernels/shared/island_rules.hpp"

namespace reber {

/// A part of one row, with the runs [first, last) that lie in it.
struct RunWindow {
  Rect where;
  std::size_t first, last;
};

/// Parts of rows that hold all runs; those that are near each other share one. None where a walk over the rows between
/// the first run and the last is sooner: a part of a row costs a page beside its own bytes, and half of that walk is
/// the most that is read in pieces.
///   runs: in raster order;   pixel_bytes: of a stored pixel
[[nodiscard]] std::vector<RunWindow> windows_of_runs(std::span<const rules::Run> runs, Shape image,
                                                     std::int64_t pixel_bytes);

}  // namespace reber
