// SPDX-License-Identifier: BSD-3-Clause
// What takes a card's place where it fails: the processor, under --backend auto alone, and its words say so.
#include "app/options/backend_choice.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "app/options/one_card.hpp"
#include "app/options/parse.hpp"
#include "kernels/backends.hpp"
#include "tests/support/failing_maps.hpp"

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

/// In place of the machine's backends: a card of 1000 bytes, which cannot be opened again where it is to fail. Notes
/// what was opened, in how much memory, and in place of what.
struct Opened {
  std::vector<std::string> names;
  std::vector<std::int64_t> memory;
  std::string in_place_of;
};

BackendOpener card_of_1000_bytes(Opened& opened, bool opens_again) {
  return [&opened, opens_again](const std::string& name, const BackendOptions& options,
                                const LogSink& log) -> std::unique_ptr<Backend> {
    opened.names.push_back(name);
    opened.memory.push_back(options.device_memory_bytes);
    opened.in_place_of = options.in_place_of;
    if (name == "cpu") return reber::make_backend("cpu", options, log);
    if (opened.names.size() > 1 && !opens_again) throw CardError(CardError::Kind::memory, "no context");
    return std::make_unique<testing::FailingMaps>(reber::make_backend("cpu", {}, log), 1000);
  };
}

CardError no_memory() { return {CardError::Kind::memory, "cudaMalloc failed with cudaErrorMemoryAllocation"}; }

TEST(BackendChoice, a_card_that_lacks_memory_works_in_half_of_it_and_once) {
  const CommonOptions options = options_of("auto");
  Terminal terminal;
  apply(options, terminal);
  Opened opened;
  BackendChoice choice(options, terminal, card_of_1000_bytes(opened, true));
  EXPECT_EQ(choice.info().device_memory_bytes, 1000);
  EXPECT_TRUE(choice.next(no_memory()));
  EXPECT_NE(choice.backend(), nullptr);
  EXPECT_TRUE(choice.next(no_memory()));
  EXPECT_EQ(opened.names, (std::vector<std::string>{"auto", "cuda", "cpu"}));
  EXPECT_EQ(opened.memory, (std::vector<std::int64_t>{0, 500, 500}));
  EXPECT_EQ(opened.in_place_of, "the card, which failed: cudaMalloc failed with cudaErrorMemoryAllocation");
  EXPECT_EQ(choice.info().name, "cpu");
}

TEST(BackendChoice, a_card_that_cannot_be_opened_again_leaves_the_processor) {
  const CommonOptions options = options_of("auto");
  Terminal terminal;
  apply(options, terminal);
  Opened opened;
  BackendChoice choice(options, terminal, card_of_1000_bytes(opened, false));
  EXPECT_TRUE(choice.next(no_memory()));
  EXPECT_EQ(opened.names, (std::vector<std::string>{"auto", "cuda", "cpu"}));
  EXPECT_EQ(choice.info().name, "cpu");
  EXPECT_EQ(choice.info().device_memory_bytes, 0);
}

TEST(BackendChoice, a_card_that_fails_while_it_is_opened_leaves_the_processor_where_none_is_named) {
  const BackendOpener broken = [](const std::string& name, const BackendOptions& wanted, const LogSink& log) {
    if (name != "cpu") throw CardError(CardError::Kind::broken, "cudaSetDevice failed");
    return reber::make_backend("cpu", wanted, log);
  };
  CommonOptions options = options_of("auto");
  Terminal terminal;
  apply(options, terminal);
  EXPECT_NE(BackendChoice(options, terminal, broken).info().device.find("failed: cudaSetDevice"), std::string::npos);
  options.backend = "cuda";
  EXPECT_THROW(BackendChoice(options, terminal, broken), CardError);
}

TEST(BackendChoice, a_card_that_this_process_has_lost_is_not_opened_again) {
  ASSERT_EQ(::setenv("REBER_CARD_LOST", "the driver does not answer", 1), 0);
  CommonOptions options = options_of("auto");
  Terminal terminal;
  apply(options, terminal);
  Opened opened;
  const BackendChoice choice(options, terminal, card_of_1000_bytes(opened, true));
  options.backend = "cuda";
  EXPECT_THROW(BackendChoice(options, terminal, card_of_1000_bytes(opened, true)), CardError);
  EXPECT_EQ(opened.names, std::vector<std::string>{"cpu"});
  EXPECT_EQ(opened.in_place_of, "the card, which failed: the driver does not answer");
  ::unsetenv("REBER_CARD_LOST");
}

TEST(BackendChoice, cards_that_share_an_image_go_on_without_one_that_fails) {
  ASSERT_EQ(::setenv("CUDA_VISIBLE_DEVICES", "0,1,2", 1), 0);
  for (const char* backend : {"auto", "cuda"}) {
    show_all_cards();
    CommonOptions options = options_of(backend);
    options.devices = "0,1";
    Terminal terminal;
    apply(options, terminal);
    Opened opened;
    BackendChoice choice(options, terminal, card_of_1000_bytes(opened, true));
    const CardError broken(CardError::Kind::broken, "cudaMemcpyAsync failed");
    EXPECT_TRUE(choice.next(broken));
    EXPECT_EQ(choice.next(broken), options.backend == "auto");
    EXPECT_EQ(opened.names.size(), options.backend == "auto" ? 3U : 2U);
    EXPECT_EQ(opened.names[1], "cuda");
  }
  show_all_cards();
  ::unsetenv("CUDA_VISIBLE_DEVICES");
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
  Command app("reber", "");
  add_common_options(app, options);
  const std::array words{"reber", "--device", "0"};
  EXPECT_EQ(parse(app, words.size(), words.data()).wrong, "");
  EXPECT_TRUE(options.device_named);
  EXPECT_EQ(for_images(options, 1).backend, "auto");
}

TEST(BackendChoice, a_files_pixels_are_its_bytes_or_those_that_were_packed) {
  const std::string folder = ::testing::TempDir();
  for (const char* const ending : {".fits", ".fits.gz", ".FITS.fz"})
    std::ofstream(folder + "pixels" + ending) << std::string(100, ' ');
  EXPECT_EQ(pixel_bytes(folder + "pixels.fits"), 100U);
  EXPECT_EQ(pixel_bytes(folder + "pixels.fits.gz"), 400U);
  EXPECT_EQ(pixel_bytes(folder + "pixels.FITS.fz"), 400U);
  EXPECT_GT(pixel_bytes(folder + "none.fits"), std::uintmax_t{1} << 32);
}

}  // namespace
}  // namespace reber::app
