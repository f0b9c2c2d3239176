// SPDX-License-Identifier: BSD-3-Clause
// Which variant of a convolution serves on a CUDA card: the choice on record, for cards that are attributes alone.
#include <gtest/gtest.h>

#ifdef REBER_HAVE_CUDA

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include "core/base/error.hpp"
#include "kernels/cuda/convolve/fft/cufft_loader.hpp"
#include "kernels/cuda/convolve/variants.hpp"
#include "tests/support/source_file.hpp"
#include "tests/support/variant_cases.hpp"

namespace reber::testing {
namespace {

using Record = std::map<std::string, std::string>;  ///< "card | kernel | image": variants

std::string text_of(Shape image) { return fmt::format("{}x{}", image.ny, image.nx); }

/// tests/unit/cuda_variants.txt, one entry per image.
Record recorded() {
  std::ifstream file(source_file("tests/unit/cuda_variants.txt"));
  Record record;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    const std::size_t images = line.find(" | ", line.find(" | ") + 3), variants = line.rfind(" | ");
    std::istringstream words(line.substr(images + 3, variants - images - 3));
    for (std::string word; words >> word;) {
      std::vector<std::string> all{word};
      if (word == "all") {
        all.clear();
        for (const Shape image : recorded_images()) all.push_back(text_of(image));
      }
      for (const std::string& image : all) record[line.substr(0, images + 3) + image] = line.substr(variants + 3);
    }
  }
  return record;
}

/// "march>plain": the variant, and the one for blank pixels where that is another.
std::string chosen(const cuda::DeviceInfo& card, const ConvolutionSpec& spec, Shape image, Algorithm algorithm) {
  try {
    const cuda::VariantChoice choice = cuda::choose_variants(card, spec, image, algorithm);
    std::string text(choice.finite->name);
    if (choice.blanks != choice.finite) text += fmt::format(">{}", choice.blanks->name);
    return text;
  } catch (const InputError&) {
    return "-";
  }
}

TEST(CudaVariants, the_choice_is_the_one_on_record) {
  const Record record = recorded();
  std::size_t compared = 0;
  for (const cuda::DeviceInfo& card : recorded_cards())
    for (const Kernel& kernel : recorded_kernels())
      for (const Shape image : recorded_images()) {
        ConvolutionSpec spec;
        spec.kernel = kernel;
        const std::string name = fmt::format("{} | {} | {}", card.name, kernel.text, text_of(image));
        const auto found = record.find(name);
        ASSERT_NE(found, record.end()) << name << " is not on record";
        ++compared;
        const bool library = found->second.find("library") != std::string::npos;
        if (library && !cuda::cufft().present()) continue;
        EXPECT_EQ(found->second, fmt::format("{} {} {}", chosen(card, spec, image, Algorithm::direct),
                                             chosen(card, spec, image, Algorithm::separable),
                                             chosen(card, spec, image, Algorithm::fft)))
            << name;
      }
  EXPECT_EQ(compared, record.size());
}

ConvolutionSpec small_product() {
  ConvolutionSpec spec;
  spec.kernel = shape_alone({9, 9}, true);
  return spec;
}

TEST(CudaVariants, each_row_has_a_quote_and_the_one_that_serves_is_the_cheapest) {
  const cuda::DeviceInfo card = recorded_cards().front();
  std::size_t rows = 0;
  for (const ConvolutionQuote& quote : cuda::quote_all(card, small_product(), {4096, 4096})) {
    double cheapest = 1e30;
    for (const VariantQuote& one : quote.variants) {
      EXPECT_EQ(one.name, cuda::variants()[rows++].name);
      EXPECT_FALSE(one.reason.empty()) << one.name;
      if (one.possible) cheapest = std::min(cheapest, one.cost_ms);
    }
    ASSERT_TRUE(quote.possible);
    EXPECT_EQ(quote.cost_ms, cheapest);
  }
  EXPECT_EQ(rows, cuda::variants().size());
}

TEST(CudaVariants, a_variant_that_is_asked_for_serves_and_has_its_own_fallback) {
  const cuda::DeviceInfo card = recorded_cards().front();
  ConvolutionSpec spec = small_product();
  spec.variant = "plain";
  EXPECT_EQ(chosen(card, spec, {4096, 4096}, Algorithm::direct), "plain");
  spec.variant = "march";
  EXPECT_EQ(chosen(card, spec, {4096, 4096}, Algorithm::direct), "march>plain");
  spec.variant = "lines";
  EXPECT_EQ(chosen(card, spec, {4096, 4096}, Algorithm::fft), "lines");
  spec.variant = "two_pass";
  EXPECT_EQ(chosen(card, spec, {4096, 4096}, Algorithm::separable), "two_pass");
}

TEST(CudaVariants, a_variant_that_does_not_exist_or_cannot_serve_says_so) {
  const cuda::DeviceInfo card = recorded_cards().front();
  const auto message = [&](Shape kernel, const char* variant) -> std::string {
    ConvolutionSpec spec;
    spec.kernel = shape_alone(kernel, true);
    spec.variant = variant;
    try {
      (void)cuda::choose_variants(card, spec, {4096, 4096}, Algorithm::direct);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message({9, 9}, "lines").find("march, tile, plain"), std::string::npos) << message({9, 9}, "lines");
  EXPECT_NE(message({15, 15}, "march").find("3 to 9 pixels"), std::string::npos) << message({15, 15}, "march");
}

TEST(CudaVariants, one_for_finite_pixels_alone_needs_another_for_blank_ones) {
  cuda::DeviceInfo card = recorded_cards().front();
  card.shared_bytes = 16 << 10;  // of an invented card: too little for the tiles of direct/plain
  const ConvolutionQuote direct = cuda::quote_all(card, small_product(), {4096, 4096}).front();
  EXPECT_FALSE(direct.possible);
  EXPECT_FALSE(direct.variants.front().possible);
  EXPECT_NE(direct.variants.front().reason.find("blank pixels"), std::string::npos) << direct.variants.front().reason;
}

}  // namespace
}  // namespace reber::testing

#endif
