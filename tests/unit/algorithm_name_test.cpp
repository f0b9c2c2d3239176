// SPDX-License-Identifier: BSD-3-Clause
// Algorithms and variants as users name them.
#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/run/request/algorithm_name.hpp"
#include "core/run/request/parameters.hpp"
#include "core/seam/plan/algorithm_choice.hpp"
#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

TEST(AlgorithmName, what_is_read_is_what_is_written) {
  for (const char* text : {"auto", "direct", "separable", "fft", "fft/lines", "separable/two_pass"})
    EXPECT_EQ(to_string(parse_algorithm(text)), text);
  EXPECT_FALSE(parse_algorithm("auto").algorithm.has_value());
  EXPECT_EQ(parse_algorithm("fft/lines").algorithm, Algorithm::fft);
  EXPECT_EQ(parse_algorithm("fft/lines").variant, "lines");
}

TEST(AlgorithmName, other_texts_are_refused_with_the_words_that_there_are) {
  for (const char* text : {"", "fast", "auto/lines", "fft/", "/lines", "FFT"}) {
    try {
      (void)parse_algorithm(text);
      ADD_FAILURE() << '\'' << text << "' was taken";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("direct, separable"), std::string::npos) << error.what();
    }
  }
}

TEST(AlgorithmName, one_option_sets_algorithm_and_variant_and_another_algorithm_takes_the_variant_back) {
  const Parameter& row = *find_parameter("convolve.algorithm", parameters());
  Request request;
  set_text(row, request, "fft/lines");
  EXPECT_EQ(request.convolve->algorithm, Algorithm::fft);
  EXPECT_EQ(request.convolve->variant, "lines");
  EXPECT_EQ(value_text(row, request), "fft/lines");
  set_value(row, request, std::string("direct"), "algorithm");
  EXPECT_EQ(value_text(row, request), "direct");
  EXPECT_EQ(request.convolve->variant, "");
}

TEST(AlgorithmName, a_variant_that_the_backend_lacks_is_refused_with_those_that_it_has) {
  ConvolutionSpec spec;
  spec.kernel = gaussian_kernel({16, 0, 16}, Normalise::sum);
  spec.variant = "lines";
  try {
    (void)choose_algorithm(backend("cpu").quote(spec, {40, 50}), Algorithm::fft, 0);
    ADD_FAILURE() << "a variant that cpu does not have was taken";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("'lines'"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("tiles"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace reber::testing
