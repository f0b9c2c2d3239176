// SPDX-License-Identifier: BSD-3-Clause
// Convolution by its definition.
#pragma once

#include <memory>

#include "core/seam/compute/job.hpp"
#include "kernels/reference/plane.hpp"

namespace reber::reference {

/// One plan of Backend::convolve().
std::unique_ptr<Plane> convolve(const HostPlane& plane, const ConvolutionSpec& spec, const Job& job);

}  // namespace reber::reference
