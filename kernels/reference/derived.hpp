// SPDX-License-Identifier: BSD-3-Clause
// Planes made of planes.
#pragma once

#include <memory>

#include "core/seam/compute/job.hpp"
#include "kernels/reference/plane.hpp"
#include "kernels/shared/own_expression.hpp"

namespace reber::reference {

/// Backend::derive().
[[nodiscard]] std::unique_ptr<Plane> derive(const OwnExpression<HostPlane, HostIslands>& what, const Job& job);

}  // namespace reber::reference
