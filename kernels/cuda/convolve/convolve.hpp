// SPDX-License-Identifier: BSD-3-Clause
// Convolution: the table of algorithms, the plan they share, and the walk over a plane.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "core/compute/convolution.hpp"
#include "kernels/cuda/convolve/common/convolver.hpp"
#include "kernels/cuda/device/context.hpp"
#include "kernels/cuda/device/plane.hpp"
#include "kernels/cuda/device/views.hpp"

namespace reber::cuda {

/// A row of the algorithm table.
struct AlgorithmEntry {
  Algorithm algorithm;
  ConvolutionQuote (*quote)(const Context&, const ConvolutionSpec&, Shape);
  std::unique_ptr<Convolver> (*make)(Context&, const ConvolutionSpec&, Shape);
};

[[nodiscard]] std::span<const AlgorithmEntry> algorithm_table();

/// quote() of the backend.
[[nodiscard]] std::vector<ConvolutionQuote> quote_all(const Context& context, const ConvolutionSpec& spec, Shape shape);
/// plan_convolution() of the backend.
[[nodiscard]] std::unique_ptr<ConvolutionPlan> make_plan(const std::shared_ptr<Context>& context,
                                                         const ConvolutionSpec& spec, Shape shape, Algorithm algorithm);
/// convolve_each() of the backend.
[[nodiscard]] std::vector<std::unique_ptr<Plane>> convolve_plane(const CudaPlane& plane,
                                                                 std::span<const ConvolutionPlan* const> plans,
                                                                 const Progress& progress);

}  // namespace reber::cuda
