// SPDX-License-Identifier: BSD-3-Clause
// Which variant of a convolution algorithm serves, from the quotes of a backend's table.
#pragma once

#include <string_view>
#include <vector>

#include "core/seam/compute/convolution.hpp"

namespace reber {

/// The quote of an algorithm, made from those of its variants.
///   asked     name of the variant that is to serve; empty: the cheapest possible one, the earlier row where two cost
///             the same. A name that no variant has makes the algorithm impossible, for a reason that lists the names.
///   variants  one quote per row of the algorithm, in table order, at least one. Where none is possible, the reason is
///             the last one's: rows stand from the most special to the most general.
[[nodiscard]] ConvolutionQuote choose_variant(Algorithm algorithm, std::string_view asked,
                                              std::vector<VariantQuote> variants);

}  // namespace reber
