// SPDX-License-Identifier: BSD-3-Clause
// Overlap-save convolution by cuFFT, in tiles of any size.
#pragma once

#include <memory>

#include "core/seam/compute/convolution.hpp"
#include "kernels/cuda/convolve/common/convolver.hpp"

namespace reber::cuda {

/// A row of the table of variants (variants.cpp): fft/library.
[[nodiscard]] VariantQuote quote_fft_library(const DeviceInfo& device, const ConvolutionSpec& spec, Shape image);
[[nodiscard]] std::unique_ptr<Convolver> make_fft_library(Context& context, const ConvolutionSpec& spec, Shape image);

}  // namespace reber::cuda
