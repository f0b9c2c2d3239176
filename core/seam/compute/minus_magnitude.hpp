// SPDX-License-Identifier: BSD-3-Clause
// A plane whose largest pixels are those next to zero.
#pragma once

#include <memory>

#include "core/seam/compute/backend.hpp"

namespace reber {

/// A backend that makes such planes.
class TakesMagnitudes {
 public:
  virtual ~TakesMagnitudes() = default;
  /// As minus_magnitude().
  [[nodiscard]] virtual std::unique_ptr<Plane> take_minus_magnitude(const Plane& plane, const Job& job) = 0;
};

/// -abs(pixel) of each pixel, in the plane's unit; blank where that is. The same bits on every backend and for any
/// bands; read once.   throws InternalError for a backend that cannot; as its operations
[[nodiscard]] std::unique_ptr<Plane> minus_magnitude(Backend& backend, const Plane& plane, const Job& job = {});

}  // namespace reber
