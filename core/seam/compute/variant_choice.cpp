// SPDX-License-Identifier: BSD-3-Clause
// The cheapest variant, or the one that is asked for.
#include "core/seam/compute/variant_choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace reber {
namespace {

/// The variant that serves, or the one whose reason stands for all; null where `asked` names none.
const VariantQuote* serving(std::string_view asked, const std::vector<VariantQuote>& variants) {
  if (!asked.empty()) {
    const auto found = std::ranges::find(variants, asked, &VariantQuote::name);
    return found == variants.end() ? nullptr : &*found;
  }
  const VariantQuote* best = nullptr;
  for (const VariantQuote& quote : variants)
    if (quote.possible && (best == nullptr || quote.cost_ms < best->cost_ms)) best = &quote;
  return best != nullptr ? best : &variants.back();
}

}  // namespace

ConvolutionQuote choose_variant(Algorithm algorithm, std::string_view asked, std::vector<VariantQuote> variants) {
  ConvolutionQuote quote;
  quote.algorithm = algorithm;
  if (const VariantQuote* chosen = serving(asked, variants)) {
    quote.possible = chosen->possible;
    quote.reason = chosen->reason;
    quote.cost_ms = chosen->cost_ms;
    quote.workspace_bytes = chosen->workspace_bytes;
    quote.variant = chosen->name;
  } else {
    std::vector<std::string_view> names;
    for (const VariantQuote& one : variants) names.push_back(one.name);
    quote.reason = fmt::format("'{}' is no variant of it on this backend, which has {}", asked, fmt::join(names, ", "));
  }
  quote.variants = std::move(variants);
  return quote;
}

}  // namespace reber
