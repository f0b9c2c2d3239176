// SPDX-License-Identifier: BSD-3-Clause
// A plane of fewer pixels: what is smooth needs no more to be measured.
#pragma once

#include <cstdint>
#include <memory>

#include "core/seam/compute/backend.hpp"

namespace reber {

/// The first row and column that every_nth() takes.
[[nodiscard]] constexpr std::int64_t first_of_every(std::int64_t n) { return (n - 1) / 2; }
/// The shape that every_nth() makes.
[[nodiscard]] constexpr Shape shape_of_every(std::int64_t n, Shape plane) {
  return {(plane.ny - first_of_every(n) + n - 1) / n, (plane.nx - first_of_every(n) + n - 1) / n};
}

/// A backend that takes pixels of its planes where they lie.
class TakesEveryNth {
 public:
  virtual ~TakesEveryNth() = default;
  /// As every_nth().
  [[nodiscard]] virtual std::unique_ptr<Plane> take_every_nth(const Plane& plane, std::int64_t n, const Job& job) = 0;
};

/// Every n-th pixel of every n-th row: (k, i) is (n k + (n - 1) / 2, n i + (n - 1) / 2) of the plane, blank where that
/// is. The same bits on every backend and for any bands.
///   n: 1 to the plane's shorter side, else InputError;   throws InternalError for a backend that cannot; as its
///   operations
[[nodiscard]] std::unique_ptr<Plane> every_nth(Backend& backend, const Plane& plane, std::int64_t n,
                                               const Job& job = {});

}  // namespace reber
