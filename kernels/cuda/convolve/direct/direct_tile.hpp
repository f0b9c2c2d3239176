// SPDX-License-Identifier: BSD-3-Clause
// Direct convolution by tiles and code made for each size: square kernels of 11 to 31 pixels, images without blank
// pixels.
#pragma once

#include <memory>

#include "core/seam/compute/convolution.hpp"
#include "kernels/cuda/convolve/common/convolver.hpp"

namespace reber::cuda {

/// A row of the table of variants (variants.cpp): direct/tile. For jobs that are all_finite alone.
[[nodiscard]] VariantQuote quote_direct_tile(const DeviceInfo& device, const ConvolutionSpec& spec, Shape image);
[[nodiscard]] std::unique_ptr<Convolver> make_direct_tile(Context& context, const ConvolutionSpec& spec, Shape image);

}  // namespace reber::cuda
