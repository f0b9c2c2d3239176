// SPDX-License-Identifier: BSD-3-Clause
// What a backend can be beside: one that makes the rows of a result when they are asked for.
#pragma once

#include <cstdint>
#include <memory>

#include "core/seam/compute/convolution.hpp"
#include "core/seam/compute/job.hpp"

namespace reber {

class Plane;

class MakesRows {
 public:
  virtual ~MakesRows() = default;
  /// Backend::convolve() with the same bits, for a caller that asks for each row once and in order: a band of rows is
  /// made when it is rendered. The result keeps `plane`; every walk over it is the whole work again.
  ///   throws as Backend::convolve, and so does rendering it
  [[nodiscard]] virtual std::unique_ptr<Plane> convolve_later(const Plane& plane, const ConvolutionPlan& plan,
                                                              const Job& job) = 0;
  /// Rows that are best rendered together, the first time from row 0; 0 where any number is as good.
  [[nodiscard]] virtual std::int64_t rows_together(const Plane& plane) const = 0;
  /// Largest absolute value of the pixels that are not blank, by one walk; 0 where all are.   throws Cancelled
  [[nodiscard]] virtual float largest(const Plane& plane, const Job& job) = 0;
};

}  // namespace reber
