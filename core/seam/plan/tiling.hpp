// SPDX-License-Identifier: BSD-3-Clause
// Whether an image stays on the device whole or streams through it in bands of rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/shape.hpp"
#include "core/seam/compute/tiling_plan.hpp"

namespace reber {

/// What a run will need of the device, for the choice.
struct MemoryNeeds {
  Shape shape;
  std::int64_t halo_rows = 0;        ///< half the kernel's height; 0 without convolution
  std::int64_t workspace_bytes = 0;  ///< of the chosen convolution algorithm
  bool convolve = false;
  bool copy = false;               ///< another plane beside the image, when no convolution is running
  bool padded = false;             ///< a plane in which the image's padding is blank, beside the image
  bool blanks = false;             ///< weights are convolved as well
  bool detect = false;             ///< islands are looked for: masks and lists of the whole image, however it is kept
  std::int64_t maps = 0;           ///< planes of the image's size that are read beside it
  std::int64_t cell_rows = 1;      ///< rows that one operation holds at a time, even where bands are lower
  bool sorted_cells = false;       ///< cells of the background so large that their pixels are sorted as one
  std::int64_t band_multiple = 1;  ///< bands start at a multiple of this many rows where possible
};

/// What serves two runs over images of b's shape.
[[nodiscard]] MemoryNeeds needs_of_both(const MemoryNeeds& a, const MemoryNeeds& b);

/// device_memory_bytes: what may be used; 0 where planes live in host memory (always resident).
///   throws InputError where not even a band of one row fits, naming the bytes needed
[[nodiscard]] TilingPlan plan_tiling(const MemoryNeeds& needs, std::int64_t device_memory_bytes);

/// How many of `wanted` planes of this shape to make at once beside the resident ones; at least 1. free_bytes: of the
/// device; 0 where planes live in host memory, where it gains nothing to hold several. Room is left for a copy of the
/// image, an S/N map and the tables of cells, runs and islands.
[[nodiscard]] std::size_t planes_at_once(Shape shape, std::size_t wanted, std::int64_t free_bytes);

}  // namespace reber
