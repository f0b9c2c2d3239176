// SPDX-License-Identifier: BSD-3-Clause
// Separable convolution by five taps with zeros between them.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/cuda/convolve/common/convolver.hpp"
#include "kernels/shared/spaced_taps.hpp"

namespace reber::cuda {

/// Quote and convolver of the separable algorithm for such taps.
[[nodiscard]] ConvolutionQuote quote_spaced(const Context& context, const rules::SpacedTaps& taps, Shape shape);
[[nodiscard]] std::unique_ptr<Convolver> make_spaced(Context& context, const rules::SpacedTaps& taps);

/// Whether there is a march for taps so far apart, and the convolver for it.
[[nodiscard]] bool spaced_marches(std::int64_t step);
[[nodiscard]] std::unique_ptr<Convolver> make_spaced_march(const DeviceInfo& device, const rules::SpacedTaps& taps);

}  // namespace reber::cuda
