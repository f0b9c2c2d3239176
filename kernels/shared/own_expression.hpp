// SPDX-License-Identifier: BSD-3-Clause
// The rows of PlaneExpression with their planes, islands and backgrounds known to be one backend's own.
#pragma once

#include <cstdint>
#include <variant>

#include "core/seam/compute/detection.hpp"
#include "kernels/shared/background_of.hpp"

namespace reber {

template <class PlaneType>
struct OwnSnr {
  const PlaneType& plane;
  BackgroundOf<PlaneType> background;
};
template <class PlaneType>
struct OwnCombined {
  PlaneRule rule;
  const PlaneType& a;
  const PlaneType& b;
};
template <class PlaneType, class IslandsType>
struct OwnWithoutIslands {
  const PlaneType& plane;
  const IslandsType& islands;
  std::int64_t grow;
};
/// shape: of what is made
template <class PlaneType>
struct OwnEveryNth {
  const PlaneType& plane;
  std::int64_t n;
  Shape shape;
};
template <class PlaneType>
struct OwnMinusMagnitude {
  const PlaneType& plane;
};

/// What a backend derives, each argument cast and its owner and shape checked.
template <class PlaneType, class IslandsType>
using OwnExpression = std::variant<OwnSnr<PlaneType>, OwnCombined<PlaneType>, OwnWithoutIslands<PlaneType, IslandsType>,
                                   OwnEveryNth<PlaneType>, OwnMinusMagnitude<PlaneType>>;

}  // namespace reber
