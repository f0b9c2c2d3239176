// SPDX-License-Identifier: BSD-3-Clause
// Separable convolution by two kernels, rows and then columns: any number of taps, zeros between them or not.
#pragma once

#include <memory>

#include "core/seam/compute/convolution.hpp"
#include "kernels/cuda/convolve/common/convolver.hpp"

namespace reber::cuda {

/// A row of the table of variants (variants.cpp): separable/two_pass.
[[nodiscard]] VariantQuote quote_separable_two_pass(const DeviceInfo& device, const ConvolutionSpec& spec, Shape image);
[[nodiscard]] std::unique_ptr<Convolver> make_separable_two_pass(Context& context, const ConvolutionSpec& spec,
                                                                 Shape image);

}  // namespace reber::cuda
