// SPDX-License-Identifier: BSD-3-Clause
// Convolution by transforms of tiles.
#pragma once

#include <memory>

#include "kernels/cpu/convolve/convolution.hpp"

namespace reber::cpu {

/// A row of variants().
VariantQuote quote_fft(const ConvolutionSpec& spec, Shape shape, int threads);
std::unique_ptr<TileAlgorithm> make_fft(const ConvolutionSpec& spec, Shape shape, int threads);

}  // namespace reber::cpu
