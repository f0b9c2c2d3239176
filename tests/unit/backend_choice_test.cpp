// SPDX-License-Identifier: BSD-3-Clause
// What takes a card's place where it fails: the processor, under --backend auto alone, and its words say so.
#include "app/options/backend_choice.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace reber::app {
namespace {

CommonOptions options_of(const std::string& backend) {
  CommonOptions options;
  options.backend = backend;
  options.threads = 1;
  options.quiet = true;
  return options;
}

/// How many times the work was called; it fails on all but the last.
int calls_until_done(BackendChoice& choice, int failures) {
  int calls = 0;
  on_backend(choice, [&](const std::shared_ptr<Backend>& backend) {
    EXPECT_NE(backend, nullptr);
    if (calls++ < failures)
      throw CardError(CardError::Kind::broken, "cudaMemcpyAsync failed with cudaErrorEccUncorrectable");
    return 0;
  });
  return calls;
}

TEST(BackendChoice, goes_on_with_the_processor_where_a_card_fails) {
  const CommonOptions options = options_of("auto");
  Terminal terminal;
  apply(options, terminal);
  BackendChoice choice(options, terminal);
  EXPECT_EQ(calls_until_done(choice, 1), 2);
  const BackendInfo info = choice.backend()->info();
  EXPECT_EQ(info.name, "cpu");
  EXPECT_NE(info.device.find("in place of the card, which failed: cudaMemcpyAsync"), std::string::npos) << info.device;
}

TEST(BackendChoice, keeps_to_a_backend_that_was_named) {
  const CommonOptions options = options_of("cpu");
  Terminal terminal;
  apply(options, terminal);
  BackendChoice choice(options, terminal);
  EXPECT_THROW(calls_until_done(choice, 1), CardError);
}

TEST(BackendChoice, leaves_other_failures_alone) {
  const CommonOptions options = options_of("auto");
  Terminal terminal;
  apply(options, terminal);
  int calls = 0;
  EXPECT_THROW(on_backend(options, terminal,
                          [&](const std::shared_ptr<Backend>&) -> int {
                            ++calls;
                            throw DataError("damaged");
                          }),
               DataError);
  EXPECT_EQ(calls, 1);
}

TEST(BackendChoice, small_images_are_not_worth_a_cards_start) {
  constexpr std::uintmax_t kOneThreads = std::uintmax_t{4} << 20;
  CommonOptions options = options_of("auto");
  EXPECT_EQ(for_images(options, kOneThreads).backend, "cpu");
  EXPECT_EQ(for_images(options, kOneThreads + 1).backend, "auto");
  options.threads = 16;
  EXPECT_EQ(for_images(options, 16 * kOneThreads).backend, "cpu");
  EXPECT_EQ(for_images(options, 16 * kOneThreads + 1).backend, "auto");
}

TEST(BackendChoice, whoever_names_a_card_gets_it) {
  CommonOptions options = options_of("cuda");
  EXPECT_EQ(for_images(options, 1).backend, "cuda");
  options = options_of("auto");
  options.device_memory = "1G";
  EXPECT_EQ(for_images(options, 1).backend, "auto");
  options = options_of("auto");
  CLI::App app;
  add_common_options(app, options);
  app.parse("--device 0");
  EXPECT_TRUE(options.device_named);
  EXPECT_EQ(for_images(options, 1).backend, "auto");
}

TEST(BackendChoice, a_files_pixels_are_its_bytes_or_those_that_were_packed) {
  const std::string folder = testing::TempDir();
  for (const char* const ending : {".fits", ".fits.gz", ".FITS.fz"})
    std::ofstream(folder + "pixels" + ending) << std::string(100, ' ');
  EXPECT_EQ(pixel_bytes(folder + "pixels.fits"), 100U);
  EXPECT_EQ(pixel_bytes(folder + "pixels.fits.gz"), 400U);
  EXPECT_EQ(pixel_bytes(folder + "pixels.FITS.fz"), 400U);
  EXPECT_GT(pixel_bytes(folder + "none.fits"), std::uintmax_t{1} << 32);
}

}  // namespace
}  // namespace reber::app
