// SPDX-License-Identifier: BSD-3-Clause
// Islands that are wide against the cells of the background: what they have below the flood level is no background.
#pragma once

#include "core/measure/background/background_terms.hpp"
#include "core/seam/compute/backend.hpp"
#include "core/seam/compute/job.hpp"

namespace reber {

/// The islands of a plane that a background leaves out.
struct IslandsLeftOut {
  Backend& backend;
  const Plane& plane;
  const BackgroundModel& model;  ///< measured without them
  const MaskedIslands& islands;  ///< with their sums
  double beam_px;                ///< FWHM
  double cell_px;                ///< pixels of a cell
};

/// Where an island that is wide against the beam covers half a cell, what surrounds such islands below the flood level
/// fills cells, and lifts their means and the filter's (docs/numerics.md#wide-islands). All islands, as one,
/// grow there by rings of the pixels nearer to a wide one than to any other, as far as their means are above a model's
/// by the error of such a mean, where these are seen to end. Nothing where no island is so wide, or where the level of
/// the image varies by itself: what goes on around an island may then be part of that. Calls throw DeviceError and
/// Cancelled; they see the backend, the plane and the islands, which must be there.
[[nodiscard]] GrownIslands surroundings_of(const IslandsLeftOut& in, const Job& job);

}  // namespace reber
