// SPDX-License-Identifier: BSD-3-Clause
// The choice among the variants of an algorithm, and what a backend with one variant says.
#include "core/seam/compute/variant_choice.hpp"

#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

std::vector<VariantQuote> three() {
  return {{"quick", true, "few passes", 2, 10}, {"even", true, "one pass", 2, 20}, {"any", true, "all sizes", 5, 30}};
}

TEST(VariantChoice, the_cheapest_serves_and_the_earlier_row_where_two_cost_the_same) {
  const ConvolutionQuote quote = choose_variant(Algorithm::fft, "", three());
  EXPECT_TRUE(quote.possible);
  EXPECT_EQ(quote.algorithm, Algorithm::fft);
  EXPECT_EQ(quote.variant, "quick");
  EXPECT_EQ(quote.cost_ms, 2);
  EXPECT_EQ(quote.workspace_bytes, 10);
  EXPECT_EQ(quote.variants.size(), 3U);
  std::vector<VariantQuote> later = three();
  later.back().cost_ms = 1;
  EXPECT_EQ(choose_variant(Algorithm::fft, "", later).variant, "any");
}

TEST(VariantChoice, one_that_is_not_possible_never_serves_whatever_its_cost) {
  std::vector<VariantQuote> quotes = three();
  quotes[0] = {"quick", false, "too large", 0, 0};
  EXPECT_EQ(choose_variant(Algorithm::direct, "", quotes).variant, "even");
  const ConvolutionQuote asked = choose_variant(Algorithm::direct, "quick", quotes);
  EXPECT_FALSE(asked.possible);
  EXPECT_EQ(asked.reason, "too large");
}

TEST(VariantChoice, where_none_is_possible_the_reason_is_the_most_general_one) {
  std::vector<VariantQuote> quotes = three();
  for (VariantQuote& quote : quotes) quote.possible = false;
  const ConvolutionQuote quote = choose_variant(Algorithm::direct, "", quotes);
  EXPECT_FALSE(quote.possible);
  EXPECT_EQ(quote.reason, "all sizes");
}

TEST(VariantChoice, a_name_that_no_variant_has_lists_those_that_there_are) {
  EXPECT_EQ(choose_variant(Algorithm::direct, "any", three()).variant, "any");
  const ConvolutionQuote quote = choose_variant(Algorithm::direct, "slow", three());
  EXPECT_FALSE(quote.possible);
  for (const char* part : {"'slow'", "quick, even, any"})
    EXPECT_NE(quote.reason.find(part), std::string::npos) << quote.reason;
}

TEST(VariantChoice, every_backend_names_its_variants_and_refuses_others) {
  ConvolutionSpec spec;
  spec.kernel = gaussian_kernel({16, 0, 16}, Normalise::sum);
  for (const char* name : {"cpu", "reference"}) {
    Backend& tested = backend(name);
    for (const ConvolutionQuote& quote : tested.quote(spec, {40, 50})) {
      if (!quote.possible) continue;
      ASSERT_EQ(quote.variants.size(), 1U);
      EXPECT_EQ(quote.variant, quote.variants.front().name);
      ConvolutionSpec asked = spec;
      asked.variant = quote.variant;
      EXPECT_EQ(tested.plan_convolution(asked, {40, 50}, quote.algorithm)->variant(), quote.variant);
      asked.variant = "ring";
      EXPECT_THROW((void)tested.plan_convolution(asked, {40, 50}, quote.algorithm), InputError);
    }
  }
}

}  // namespace
}  // namespace reber::testing
