// SPDX-License-Identifier: BSD-3-Clause
// Direct convolution by loops over the kernel's own size: every kernel up to 63 x 63, blank pixels too.
#pragma once

#include <memory>

#include "core/seam/compute/convolution.hpp"
#include "kernels/cuda/convolve/common/convolver.hpp"

namespace reber::cuda {

/// A row of the table of variants (variants.cpp): direct/plain.
[[nodiscard]] VariantQuote quote_direct_plain(const DeviceInfo& device, const ConvolutionSpec& spec, Shape image);
[[nodiscard]] std::unique_ptr<Convolver> make_direct_plain(Context& context, const ConvolutionSpec& spec, Shape image);

/// A possible quote for a variant that does `taps` multiply-adds for each pixel, zeros around the kernel included, and
/// reaches `part` of the card's peak rate with them.
[[nodiscard]] VariantQuote direct_quote(const DeviceInfo& device, Shape kernel, Shape image, double taps, double part);

}  // namespace reber::cuda
