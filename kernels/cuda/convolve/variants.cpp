// SPDX-License-Identifier: BSD-3-Clause
// The table of convolution variants: a new one is a row here and the files that the row names.
#include "kernels/cuda/convolve/variants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/error.hpp"
#include "core/seam/compute/variant_choice.hpp"
#include "kernels/cuda/convolve/direct/direct.hpp"
#include "kernels/cuda/convolve/direct/direct_march.hpp"
#include "kernels/cuda/convolve/direct/direct_tile.hpp"
#include "kernels/cuda/convolve/fft/fft_library.hpp"
#include "kernels/cuda/convolve/fft/fft_lines_convolver.hpp"
#include "kernels/cuda/convolve/fft/fft_tile_convolver.hpp"
#include "kernels/cuda/convolve/separable/separable.hpp"
#include "kernels/cuda/convolve/separable/separable_march.hpp"
#include "kernels/cuda/convolve/separable/separable_spaced.hpp"
#include "kernels/cuda/convolve/separable/separable_two_pass.hpp"

namespace reber::cuda {
namespace {

constexpr bool kFiniteOnly = true;
constexpr std::array kVariants{
    Variant{Algorithm::direct, "march", quote_direct_march, make_direct_march, kFiniteOnly},
    Variant{Algorithm::direct, "tile", quote_direct_tile, make_direct_tile, kFiniteOnly},
    Variant{Algorithm::direct, "plain", quote_direct_plain, make_direct_plain},
    Variant{Algorithm::separable, "spaced", quote_separable_spaced, make_separable_spaced},
    Variant{Algorithm::separable, "march", quote_separable_march, make_separable_march, kFiniteOnly},
    Variant{Algorithm::separable, "ring", quote_separable_ring, make_separable_ring},
    Variant{Algorithm::separable, "two_pass", quote_separable_two_pass, make_separable_two_pass},
    Variant{Algorithm::fft, "tile", quote_fft_tile, make_fft_tile},
    Variant{Algorithm::fft, "lines", quote_fft_lines, make_fft_lines},
    Variant{Algorithm::fft, "library", quote_fft_library, make_fft_library},
};

/// The rows of one algorithm, which stand together.
std::span<const Variant> variants_of(Algorithm algorithm) {
  const auto first = std::ranges::find(kVariants, algorithm, &Variant::algorithm);
  const auto last =
      std::find_if(first, kVariants.end(), [=](const Variant& row) { return row.algorithm != algorithm; });
  return {first, last};
}

ConvolutionQuote quote_of(const DeviceInfo& device, const ConvolutionSpec& spec, Shape image, Algorithm algorithm) {
  const std::span<const Variant> rows = variants_of(algorithm);
  std::vector<VariantQuote> quotes;
  for (const Variant& row : rows) {
    quotes.push_back(row.quote(device, spec, image));
    quotes.back().name = row.name;
  }
  bool blanks_served = false;
  for (std::size_t i = rows.size(); i-- > 0;) {
    blanks_served = blanks_served || (quotes[i].possible && !rows[i].finite_only);
    if (!quotes[i].possible || blanks_served) continue;
    quotes[i] = {quotes[i].name, false, "blank pixels would have no variant: " + quotes.back().reason};
  }
  return choose_variant(algorithm, spec.variant, std::move(quotes));
}

}  // namespace

std::span<const Variant> variants() { return kVariants; }

std::vector<ConvolutionQuote> quote_all(const DeviceInfo& device, const ConvolutionSpec& spec, Shape image) {
  std::vector<ConvolutionQuote> quotes;
  for (const Variant& row : kVariants)
    if (quotes.empty() || quotes.back().algorithm != row.algorithm)
      quotes.push_back(quote_of(device, spec, image, row.algorithm));
  return quotes;
}

VariantChoice choose_variants(const DeviceInfo& device, const ConvolutionSpec& spec, Shape image, Algorithm algorithm) {
  const ConvolutionQuote quote = quote_of(device, spec, image, algorithm);
  if (!quote.possible)
    throw InputError(
        fmt::format("convolution algorithm '{}' cannot be used here: {}", to_string(algorithm), quote.reason));
  const std::span<const Variant> rows = variants_of(algorithm);
  const auto finite = std::ranges::find(rows, quote.variant, &Variant::name);
  auto blanks = finite;
  while (blanks->finite_only || !quote.variants[static_cast<std::size_t>(blanks - rows.begin())].possible) ++blanks;
  return {&*finite, &*blanks};
}

}  // namespace reber::cuda
