// SPDX-License-Identifier: BSD-3-Clause
// Convolution in two dimensions: its quote, and its convolvers.
#pragma once

#include <memory>
#include <vector>

#include "kernels/cuda/convolve/common/convolver.hpp"

namespace reber::cuda {

ConvolutionQuote quote_direct(const Context& context, const ConvolutionSpec& spec, Shape shape);
std::unique_ptr<Convolver> make_direct(Context& context, const ConvolutionSpec& spec, Shape shape);
/// Whether the kernel is small and square enough for a march with its outputs in registers, and the convolver for it;
/// with_blanks serves jobs that are not all_finite.
[[nodiscard]] bool direct_marches(Shape kernel);
std::unique_ptr<Convolver> make_direct_march(const Context& context, Shape kernel, const std::vector<float>& weights,
                                             std::unique_ptr<Convolver> with_blanks);
/// The same for square kernels of 11 to 31 pixels, in tiles.
[[nodiscard]] bool direct_has_tiles(const Context& context, Shape kernel);
std::unique_ptr<Convolver> make_direct_tiles(Shape kernel, const std::vector<float>& weights,
                                             std::unique_ptr<Convolver> with_blanks);

}  // namespace reber::cuda
