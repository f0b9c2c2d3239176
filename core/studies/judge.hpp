// SPDX-License-Identifier: BSD-3-Clause
// Operations as another library does them. Its module (modules/) implements this; nothing of the library is seen here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/shape.hpp"
#include "core/seam/compute/convolution.hpp"

namespace reber {

/// Arrays are row-major, y slow, without gaps; `shape` is theirs.
class Judge {
 public:
  /// A connected part of a mask.
  struct Component {
    std::int64_t area = 0;
    std::int64_t y0 = 0, x0 = 0, y1 = 0, x1 = 0;  ///< bounding box, y1 and x1 one past the end
  };

  virtual ~Judge() = default;
  /// The library and its version.
  [[nodiscard]] virtual std::string name() const = 0;
  /// A convolution of finite pixels in double, by the kernel's factors where `factors` says so and it has them. Beyond
  /// the image stands what `boundary` says; blank is 0.
  [[nodiscard]] virtual std::vector<double> convolve(const std::vector<double>& pixels, Shape shape,
                                                     const Kernel& kernel, Boundary boundary, bool factors) const = 0;
  /// Numbers the parts of a mask (0 outside) from 1 in any order: labels receives them.   returns part 1 at place 0
  [[nodiscard]] virtual std::vector<Component> components(const std::vector<std::uint8_t>& mask, Shape shape,
                                                          bool corners, std::vector<std::int32_t>& labels) const = 0;
  /// The mask of 0 and 1 dilated or eroded by an element of odd sides, beyond whose border is outside.
  [[nodiscard]] virtual std::vector<std::uint8_t> morphology(const std::vector<std::uint8_t>& mask, Shape shape,
                                                             const std::vector<std::uint8_t>& element,
                                                             Shape element_shape, bool dilate) const = 0;
};

/// What the function `reber_judge` of a module is.   returns an object that lives as long as the process
using JudgeEntry = const Judge* (*)();

}  // namespace reber
