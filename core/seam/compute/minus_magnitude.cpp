// SPDX-License-Identifier: BSD-3-Clause
// Whether a backend can is asked once.
#include "core/seam/compute/minus_magnitude.hpp"

#include "core/base/error.hpp"

namespace reber {

std::unique_ptr<Plane> minus_magnitude(Backend& backend, const Plane& plane, const Job& job) {
  auto* const takes = dynamic_cast<TakesMagnitudes*>(&backend);
  if (takes == nullptr) throw InternalError(backend.info().name + " backend: takes no magnitudes of a plane");
  return takes->take_minus_magnitude(plane, job);
}

}  // namespace reber
