// SPDX-License-Identifier: BSD-3-Clause
// Walks over the variants of convolutions that a backend's table has.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "core/seam/compute/backend.hpp"

namespace reber::testing {

/// Calls body(spec that names the variant, algorithm) for each variant that can do the convolution. One that cannot
/// must say why.
template <typename Body>
void for_each_variant(const Backend& tested, const ConvolutionSpec& spec, Shape shape, const Body& body) {
  for (const ConvolutionQuote& quote : tested.quote(spec, shape)) {
    if (quote.variants.empty()) {
      EXPECT_FALSE(quote.possible) << to_string(quote.algorithm);
    }
    for (const VariantQuote& one : quote.variants) {
      SCOPED_TRACE(fmt::format("{} {}/{}", tested.info().name, to_string(quote.algorithm), one.name));
      EXPECT_FALSE(one.reason.empty());
      if (!one.possible) continue;
      ConvolutionSpec named = spec;
      named.variant = one.name;
      body(named, quote.algorithm);
    }
  }
}

/// The spec with the variant named where the backend has one of that name; others do the algorithm their own way.
inline ConvolutionSpec by_variant(const Backend& tested, ConvolutionSpec spec, Shape shape, Algorithm algorithm,
                                  const std::string& variant) {
  for (const ConvolutionQuote& quote : tested.quote(spec, shape))
    if (quote.algorithm == algorithm &&
        std::ranges::find(quote.variants, variant, &VariantQuote::name) != quote.variants.end())
      spec.variant = variant;
  return spec;
}

}  // namespace reber::testing
