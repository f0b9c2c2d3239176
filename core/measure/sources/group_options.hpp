// SPDX-License-Identifier: BSD-3-Clause
// What a user says of how Gaussians become sources.
#pragma once

namespace reber {

/// PyBDSF's rule for which Gaussians of an island are one source (docs/numerics.md#groups).
struct GroupOptions {
  double tolerance = 1;    ///< of the dip between two peaks and of their distance; larger joins more
  bool by_island = false;  ///< all Gaussians of an island are one source
  bool operator==(const GroupOptions&) const = default;
};

}  // namespace reber
