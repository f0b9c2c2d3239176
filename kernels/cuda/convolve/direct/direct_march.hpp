// SPDX-License-Identifier: BSD-3-Clause
// Direct convolution by marches that keep outputs in registers: square kernels of 3 to 9 pixels, images without blank
// pixels.
#pragma once

#include <memory>

#include "core/seam/compute/convolution.hpp"
#include "kernels/cuda/convolve/common/convolver.hpp"

namespace reber::cuda {

/// A row of the table of variants (variants.cpp): direct/march. For jobs that are all_finite alone.
[[nodiscard]] VariantQuote quote_direct_march(const DeviceInfo& device, const ConvolutionSpec& spec, Shape image);
[[nodiscard]] std::unique_ptr<Convolver> make_direct_march(Context& context, const ConvolutionSpec& spec, Shape image);

}  // namespace reber::cuda
