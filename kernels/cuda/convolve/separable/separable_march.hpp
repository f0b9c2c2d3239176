// SPDX-License-Identifier: BSD-3-Clause
// Separable convolution by marching warps: 10 to 65 taps, images without blank pixels; best where they are large.
#pragma once

#include <memory>

#include "core/seam/compute/convolution.hpp"
#include "kernels/cuda/convolve/common/convolver.hpp"

namespace reber::cuda {

/// A row of the table of variants (variants.cpp): separable/march. For jobs that are all_finite alone.
[[nodiscard]] VariantQuote quote_separable_march(const DeviceInfo& device, const ConvolutionSpec& spec, Shape image);
[[nodiscard]] std::unique_ptr<Convolver> make_separable_march(Context& context, const ConvolutionSpec& spec,
                                                              Shape image);

}  // namespace reber::cuda
