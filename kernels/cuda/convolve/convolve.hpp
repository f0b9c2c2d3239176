// SPDX-License-Identifier: BSD-3-Clause
// Convolution: the plan, and the walk over a plane.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/compute/convolution.hpp"
#include "kernels/cuda/device/context.hpp"
#include "kernels/cuda/device/plane.hpp"

namespace reber::cuda {

/// plan_convolution() of the backend.
[[nodiscard]] std::unique_ptr<ConvolutionPlan> make_plan(const std::shared_ptr<Context>& context,
                                                         const ConvolutionSpec& spec, Shape shape, Algorithm algorithm);
/// convolve() of the backend.
[[nodiscard]] std::vector<std::unique_ptr<Plane>> convolve_plane(const CudaPlane& plane,
                                                                 std::span<const ConvolutionPlan* const> plans,
                                                                 const Job& job);

}  // namespace reber::cuda
