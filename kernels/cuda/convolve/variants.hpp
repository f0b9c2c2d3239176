// SPDX-License-Identifier: BSD-3-Clause
// The table of convolution variants, and the choice among them. Neither needs a card: its attributes are enough.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/seam/compute/convolution.hpp"
#include "kernels/cuda/convolve/common/convolver.hpp"

namespace reber::cuda {

/// One way to do one algorithm.
struct Variant {
  Algorithm algorithm;
  std::string_view name;
  /// Cost and workspace for an image without blank pixels, or why not; the name is left to the table.
  VariantQuote (*quote)(const DeviceInfo&, const ConvolutionSpec&, Shape image);
  /// Only where the quote is possible.
  std::unique_ptr<Convolver> (*make)(Context&, const ConvolutionSpec&, Shape image);
  /// Its convolver takes jobs that are all_finite alone: a plan needs a second one for the others.
  bool finite_only = false;
};

/// Algorithm after algorithm; the variants of each from the most special to the most general, which takes blank pixels.
[[nodiscard]] std::span<const Variant> variants();

/// quote() of the backend: one per algorithm, in table order, those of the variants inside. A finite_only variant is
/// not possible where none serves blank pixels.
[[nodiscard]] std::vector<ConvolutionQuote> quote_all(const DeviceInfo& device, const ConvolutionSpec& spec,
                                                      Shape image);

/// What a plan is made of.
struct VariantChoice {
  const Variant* finite = nullptr;  ///< for jobs that are all_finite
  const Variant* blanks = nullptr;  ///< for the others: the same, or the next possible row that takes blank pixels
};

/// The variant that spec.variant names, or the cheapest, the earlier row on a tie.
///   throws InputError where the algorithm, or the variant asked for, is not possible, with the reason
[[nodiscard]] VariantChoice choose_variants(const DeviceInfo& device, const ConvolutionSpec& spec, Shape image,
                                            Algorithm algorithm);

}  // namespace reber::cuda
