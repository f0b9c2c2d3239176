// SPDX-License-Identifier: BSD-3-Clause
// Which pixels of a plane there are: what tells a source that ends from one that is cut.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/shape.hpp"
#include "core/seam/compute/backend.hpp"

namespace reber {

/// The known pixels of a plane: those inside it that are not blank.
class KnownPixels {
 public:
  /// Every pixel of the shape.
  explicit KnownPixels(Shape shape = {}) : shape_(shape) {}
  /// runs: of all known pixels, in raster order
  KnownPixels(Shape shape, std::vector<LabelRuns::Run> runs);

  [[nodiscard]] bool at(std::int64_t y, std::int64_t x) const { return covers(y, x, x + 1); }
  /// Whether all of columns [x0, x1) of a row are known.
  [[nodiscard]] bool covers(std::int64_t y, std::int64_t x0, std::int64_t x1) const;
  /// Whether every pixel inside the image is known.
  [[nodiscard]] bool whole() const { return first_.empty(); }
  [[nodiscard]] Shape shape() const { return shape_; }

 private:
  Shape shape_;
  std::vector<LabelRuns::Run> runs_;
  std::vector<std::size_t> first_;  ///< of each row's runs; one more at the end
};

/// Asks the backend only where the plane has blank pixels.   throws DeviceError, Cancelled
[[nodiscard]] KnownPixels known_pixels(Backend& backend, const Plane& plane, const Job& job);

/// A pixel of an island beside one that is missing.
struct CutPixel {
  std::int32_t y, x;
  std::int32_t label;
};
/// Pixels of islands that have one of their eight neighbours beyond the image or blank, in raster order.
[[nodiscard]] std::vector<CutPixel> cut_pixels(const LabelRuns& islands, const KnownPixels& known);

}  // namespace reber
