// SPDX-License-Identifier: BSD-3-Clause
// What a backend can be beside: one that compares pixels with their background while it is measured.
#pragma once

#include "core/seam/compute/detection.hpp"

namespace reber {

class Plane;

class LooksAhead {
 public:
  virtual ~LooksAhead() = default;
  /// A hint, upon which no result depends: the next mesh is of this plane, or of one without islands made of it; what
  /// finish_mesh makes of its cells will be this plane's background, and islands will be looked for with these options.
  virtual void will_label(const Plane& plane, const DetectOptions& options) = 0;
};

}  // namespace reber
