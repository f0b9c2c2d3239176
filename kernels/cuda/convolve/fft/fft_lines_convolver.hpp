// SPDX-License-Identifier: BSD-3-Clause
// Overlap-save convolution by tiles larger than a block's shared memory, by kernels of rows and of columns.
#pragma once

#include <memory>

#include "core/seam/compute/convolution.hpp"
#include "kernels/cuda/convolve/common/convolver.hpp"

namespace reber::cuda {

/// A row of the table of variants (variants.cpp): fft/lines.
[[nodiscard]] VariantQuote quote_fft_lines(const DeviceInfo& device, const ConvolutionSpec& spec, Shape image);
[[nodiscard]] std::unique_ptr<Convolver> make_fft_lines(Context& context, const ConvolutionSpec& spec, Shape image);

}  // namespace reber::cuda
