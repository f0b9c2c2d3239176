// SPDX-License-Identifier: BSD-3-Clause
// Overlap-save convolution by tiles that one block transforms, multiplies and transforms back in its shared memory.
#pragma once

#include <memory>

#include "core/seam/compute/convolution.hpp"
#include "kernels/cuda/convolve/common/convolver.hpp"

namespace reber::cuda {

/// A row of the table of variants (variants.cpp): fft/tile.
[[nodiscard]] VariantQuote quote_fft_tile(const DeviceInfo& device, const ConvolutionSpec& spec, Shape image);
[[nodiscard]] std::unique_ptr<Convolver> make_fft_tile(Context& context, const ConvolutionSpec& spec, Shape image);

}  // namespace reber::cuda
