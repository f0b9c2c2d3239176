// SPDX-License-Identifier: BSD-3-Clause
// Planes made of planes.
#pragma once

#include <memory>

#include "core/seam/compute/job.hpp"
#include "kernels/reference/plane.hpp"

namespace reber::reference {

/// The expressions of Backend::derive().
std::unique_ptr<Plane> snr_plane(const HostPlane& plane, const HostBackground& background, const Job& job);
std::unique_ptr<Plane> combine(PlaneRule rule, const HostPlane& a, const HostPlane& b);
std::unique_ptr<Plane> without_islands(const HostPlane& plane, const HostIslands& islands, std::int64_t grow,
                                       const Job& job);
std::unique_ptr<Plane> every_nth(const HostPlane& plane, std::int64_t n, Shape shape);
std::unique_ptr<Plane> minus_magnitude(const HostPlane& plane);

}  // namespace reber::reference
