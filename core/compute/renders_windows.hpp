// SPDX-License-Identifier: BSD-3-Clause
// What a backend can be beside: one that renders many small rectangles for hardly more than one.
#pragma once

#include <span>

#include "core/base/shape.hpp"
#include "core/compute/job.hpp"

namespace reber {

class Plane;
struct BackgroundModel;

class RendersWindows {
 public:
  virtual ~RendersWindows() = default;
  /// S/N of rectangles of one plane, each as Backend::render() gives it.
  ///   out: room for each, rows without gaps;   throws as Backend::render()
  virtual void render_windows(const Plane& plane, const BackgroundModel& background, std::span<const Rect> where,
                              std::span<float* const> out, const Job& job) = 0;
};

}  // namespace reber
