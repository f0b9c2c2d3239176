// SPDX-License-Identifier: BSD-3-Clause
// Convolution by FFT: its quote, and its convolver.
#pragma once

#include <memory>

#include "kernels/cuda/convolve/common/convolver.hpp"

namespace reber::cuda {

ConvolutionQuote quote_fft(const Context& context, const ConvolutionSpec& spec, Shape shape);
std::unique_ptr<Convolver> make_fft(Context& context, const ConvolutionSpec& spec, Shape shape);

}  // namespace reber::cuda
