// SPDX-License-Identifier: BSD-3-Clause
// A cell clipped without being sorted: pixels that every round keeps are summed once, exactly; what could be a median
// and what a round could remove are set aside.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/shape.hpp"
#include "core/seam/compute/statistics.hpp"
#include "kernels/cpu/row_maker.hpp"

namespace reber::cpu {

/// What the clip leaves of a cell's pixels; NaN where too few of them are finite, or none is left.
struct ClippedCell {
  double median = 0, mean = 0, std = 0;
};

/// Memory of one worker, kept from cell to cell. 4096 pixels of noise take half as long as to be sorted
/// (bench/notes/mesh.md). The scheme is that of the cuda backend (kernels/cuda/mesh/mesh_sift.cu), for one thread.
class CellSift {
 public:
  /// Finite pixels that a cell may have for this to serve: fewer are soon sorted, of more the sums might overflow.
  static constexpr std::int64_t kFewest = 500, kMost = 1 << 16;

  /// Takes the finite pixels of a cell.   ahead: whether the next cell lies beside this one   returns their number
  std::int64_t gather(const HeldRows& plane, const Rect& cell, bool ahead);

  /// The clip of what was gathered, with the bits of rules::clip_sorted_cell(). Empty where the scheme does not serve:
  /// the pixels are few or many, or a sample of them misled.
  [[nodiscard]] std::optional<ClippedCell> clip(const ClipOptions& options);

 private:
  std::vector<float> pixels_, middle_, near_, first_, second_, tails_;
  std::int64_t count_ = 0;
};

}  // namespace reber::cpu
