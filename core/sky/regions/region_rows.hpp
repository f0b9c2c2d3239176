// SPDX-License-Identifier: BSD-3-Clause
// What a row of pixels has of an outline, as runs.
#pragma once

#include <utility>
#include <vector>

namespace reber {

/// Pixels from first to last of a row, whole numbers; none where first > last.
using PixelRun = std::pair<double, double>;
using PixelRuns = std::vector<PixelRun>;

/// The runs of an outline.
class OutlineRows {
 public:
  virtual ~OutlineRows() = default;
  /// First and last row.
  [[nodiscard]] virtual PixelRun rows() const = 0;
  /// Appends the runs of row y, in any order. Rows are asked for one after another, upwards.
  virtual void at(double y, PixelRuns& runs) = 0;
};

}  // namespace reber
