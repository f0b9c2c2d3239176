// SPDX-License-Identifier: BSD-3-Clause
// Which kernels serve five taps with zeros between them, and what they cost.
#include "kernels/cuda/convolve/separable/separable_spaced.hpp"

#include <string>

#include "kernels/cuda/convolve/separable/separable.hpp"
#include "kernels/cuda/device/plane.hpp"

namespace reber::cuda {

ConvolutionQuote quote_spaced(const Context& context, const rules::SpacedTaps& taps, Shape shape) {
  // The part of memory's peak rate that is reached; two kernels read and write twice, and read each tap once more.
  constexpr double kMemoryPart = 0.74, kTwoKernels = 4;
  const bool march = spaced_marches(taps.step);
  ConvolutionQuote quote;
  quote.algorithm = Algorithm::separable;
  quote.possible = true;
  quote.cost_ms = 0.005 + static_cast<double>(shape.count()) * 8 * (march ? 1 : kTwoKernels) /
                              (kMemoryPart * context.device().memory_bytes_per_ms);
  if (!march)
    quote.workspace_bytes = (shape.ny + (rules::kSpacedTaps - 1) * taps.step) * pitch_of(shape.nx) *
                            static_cast<std::int64_t>(sizeof(float));
  quote.reason = "five taps each way, " + std::to_string(taps.step) + " pixels apart";
  return quote;
}

std::unique_ptr<Convolver> make_spaced(Context& context, const rules::SpacedTaps& taps) {
  if (spaced_marches(taps.step)) return make_spaced_march(context.device(), taps);
  return make_separable_two_pass(context, {taps.column.begin(), taps.column.end()}, {taps.row.begin(), taps.row.end()},
                                 static_cast<int>(taps.step));
}

}  // namespace reber::cuda
