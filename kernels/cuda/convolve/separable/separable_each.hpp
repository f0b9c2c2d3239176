// SPDX-License-Identifier: BSD-3-Clause
// Several short separable convolutions of one image in one kernel.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "kernels/cuda/convolve/common/convolver.hpp"

namespace reber::cuda {

inline constexpr std::size_t kEachMost = 3;  ///< kernels together

/// One of them; its job has no blank pixels.
struct SeparablePart {
  const std::vector<float>*column = nullptr, *row = nullptr;
  ConvolveJob job;
};

/// Queues the first few parts, which are in the order of their taps, in one kernel and returns how many these were: 0
/// where none is compiled for them. Jobs have the same input, output rows and boundary.
[[nodiscard]] std::size_t convolve_together(cudaStream_t stream, const DeviceInfo& device,
                                            std::span<const SeparablePart> parts);

/// A convolver of few taps that can share rows with others; `alone` serves it by itself.
[[nodiscard]] std::unique_ptr<Convolver> make_sharing(const Context& context, std::vector<float> column,
                                                      std::vector<float> row, std::unique_ptr<Convolver> alone);

}  // namespace reber::cuda
