// SPDX-License-Identifier: BSD-3-Clause
// Convolution along rows, then along columns.
#pragma once

#include <memory>

#include "kernels/cpu/convolve/convolution.hpp"

namespace reber::cpu {

/// A row of variants().
VariantQuote quote_separable(const ConvolutionSpec& spec, Shape shape, int threads);
std::unique_ptr<TileAlgorithm> make_separable(const ConvolutionSpec& spec, Shape shape, int threads);

}  // namespace reber::cpu
