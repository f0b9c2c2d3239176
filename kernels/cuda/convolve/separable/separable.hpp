// SPDX-License-Identifier: BSD-3-Clause
// Separable convolution through a ring of rows in shared memory: any taps that fit there, blank pixels too.
#pragma once

#include <memory>

#include "core/seam/compute/convolution.hpp"
#include "kernels/cuda/convolve/common/convolver.hpp"

namespace reber::cuda {

/// A row of the table of variants (variants.cpp): separable/ring.
[[nodiscard]] VariantQuote quote_separable_ring(const DeviceInfo& device, const ConvolutionSpec& spec, Shape image);
[[nodiscard]] std::unique_ptr<Convolver> make_separable_ring(Context& context, const ConvolutionSpec& spec,
                                                             Shape image);

/// A possible quote for taps without zeros between them, rows and columns in one kernel, as the fastest variant of that
/// kind was measured.
[[nodiscard]] VariantQuote fused_quote(const DeviceInfo& device, Shape kernel, Shape image);
/// Why a variant for taps of any kind cannot serve this kernel: it is no product, or has zeros between its taps, whose
/// products the variants for spaced taps leave out. Empty where it can.
[[nodiscard]] std::string no_dense_taps(const Kernel& kernel);

}  // namespace reber::cuda
