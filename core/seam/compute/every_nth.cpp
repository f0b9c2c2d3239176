// SPDX-License-Identifier: BSD-3-Clause
// What is asked for is checked once, for every backend.
#include "core/seam/compute/every_nth.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"

namespace reber {

std::unique_ptr<Plane> every_nth(Backend& backend, const Plane& plane, std::int64_t n, const Job& job) {
  const Shape whole = plane.shape();
  if (n < 1 || n > whole.ny || n > whole.nx)
    throw InputError(
        fmt::format("every {}th pixel was asked for of an image of {} x {} pixels", n, whole.nx, whole.ny));
  auto* const takes = dynamic_cast<TakesEveryNth*>(&backend);
  if (takes == nullptr) throw InternalError(backend.info().name + " backend: takes no pixels of a plane");
  return takes->take_every_nth(plane, n, job);
}

}  // namespace reber
