// SPDX-License-Identifier: BSD-3-Clause
// The part of an image that is searched: within a mask, regions and a MOC.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/progress.hpp"
#include "core/sky/mask/mask.hpp"
#include "core/sky/model/pixel_source.hpp"
#include "core/sky/regions/region_rows.hpp"

namespace reber {

/// Where sources are looked for, one bit per pixel, row-major.
class SearchedPixels {
 public:
  /// Everywhere.
  explicit SearchedPixels(Shape shape) : shape_(shape), inside_(static_cast<std::size_t>(shape.count()), true) {}

  [[nodiscard]] Shape shape() const { return shape_; }
  [[nodiscard]] bool holds(std::int64_t y, std::int64_t x) const { return *at(y, x); }
  /// Whether columns [x0, x1) of row y all are searched.
  [[nodiscard]] bool hold(std::int64_t y, std::int64_t x0, std::int64_t x1) const;
  [[nodiscard]] std::int64_t count(const Progress& progress) const;
  /// Leaves out what a mask, or runs of a row that are apart and from left to right, do not hold.
  void keep(const Mask& mask, const Progress& progress);
  void keep(std::int64_t y, const PixelRuns& inside);

 private:
  [[nodiscard]] std::vector<bool>::const_iterator at(std::int64_t y, std::int64_t x) const {
    return inside_.begin() + y * shape_.nx + x;
  }
  void leave_out(std::int64_t y, std::int64_t x0, std::int64_t x1);

  Shape shape_;
  std::vector<bool> inside_;
};

/// 0 inside, blank outside: what S/N less this leaves is what may be found. Made as it is read.
[[nodiscard]] std::unique_ptr<PixelSource> blank_outside(std::shared_ptr<const SearchedPixels> searched);

}  // namespace reber
