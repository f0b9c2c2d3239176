// SPDX-License-Identifier: BSD-3-Clause
// Separable convolution: its quote, and its convolvers.
#pragma once

#include <memory>
#include <vector>

#include "kernels/cuda/convolve/common/convolver.hpp"

namespace reber::cuda {

ConvolutionQuote quote_separable(const Context& context, const ConvolutionSpec& spec, Shape shape);
std::unique_ptr<Convolver> make_separable(Context& context, const ConvolutionSpec& spec, Shape shape);
/// Whether the taps fit into one kernel's shared memory; else two plain kernels run one after the other.
[[nodiscard]] bool separable_is_fused(const Context& context, Shape kernel);
/// step: from one tap to the next.
std::unique_ptr<Convolver> make_separable_two_pass(Context& context, const std::vector<float>& column,
                                                   const std::vector<float>& row, int step = 1);
/// Whether there is a march for so many taps along y and x that is faster for such an image, and the convolver for it;
/// with_blanks serves jobs that are not all_finite.
[[nodiscard]] bool separable_marches(const Context& context, Shape kernel, Shape image);
std::unique_ptr<Convolver> make_separable_march(const Context& context, const std::vector<float>& column,
                                                const std::vector<float>& row, std::unique_ptr<Convolver> with_blanks);

}  // namespace reber::cuda
