// SPDX-License-Identifier: BSD-3-Clause
// Convolution by the sum that defines it.
#pragma once

#include <memory>

#include "kernels/cpu/convolve/convolution.hpp"

namespace reber::cpu {

/// A row of variants().
VariantQuote quote_direct(const ConvolutionSpec& spec, Shape shape, int threads);
std::unique_ptr<TileAlgorithm> make_direct(const ConvolutionSpec& spec, Shape shape, int threads);

}  // namespace reber::cpu
