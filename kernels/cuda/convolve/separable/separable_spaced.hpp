// SPDX-License-Identifier: BSD-3-Clause
// Separable convolution by five taps with zeros between them, in one march: 2 pixels apart, or a
// multiple of 4 up to 124, or a multiple of 128.
#pragma once

#include <memory>

#include "core/seam/compute/convolution.hpp"
#include "kernels/cuda/convolve/common/convolver.hpp"

namespace reber::cuda {

/// A row of the table of variants (variants.cpp): separable/spaced.
[[nodiscard]] VariantQuote quote_separable_spaced(const DeviceInfo& device, const ConvolutionSpec& spec, Shape image);
[[nodiscard]] std::unique_ptr<Convolver> make_separable_spaced(Context& context, const ConvolutionSpec& spec,
                                                               Shape image);

}  // namespace reber::cuda
