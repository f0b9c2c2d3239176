// SPDX-License-Identifier: BSD-3-Clause
// A card whose driver does not come back: noticed, and the program begins anew without it.
#include "app/options/lost_card.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/options/backend_choice.hpp"
#include "core/files/io/atomic_file.hpp"
#include "core/seam/compute/lost_card.hpp"
#include "tests/unit/fits_files.hpp"
#ifdef REBER_HAVE_CUDA
#include "kernels/cuda/device/waits.hpp"
#include "kernels/cuda/device/watch.hpp"
#endif

namespace reber::app {
namespace {

constexpr int kBeganAnew = 77;

/// The exit code of a child in which the card is lost; the child's command line is `words`.
int exit_code_without_card(std::vector<std::string> words, const std::string& temporary_of = "") {
  const pid_t child = ::fork();
  if (child == 0) {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    ::unsetenv("GTEST_TOTAL_SHARDS");  // the test that is begun may be of another share
    ::unsetenv("GTEST_SHARD_INDEX");
    install_lost_card(arguments.data());
    std::optional<AtomicFile> open;
    if (!temporary_of.empty()) open.emplace(temporary_of, FileOptions());
    lose_card("the driver has not come back");
    ::_exit(1);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

const std::string kSecondLife = "--gtest_filter=LostCard.second_life";

/// What the tests below begin; among the others it looks that no card is lost here.
TEST(LostCard, second_life) {
  const char* const words = card_lost_before();
  if (words != nullptr) ::_exit(std::string(words) == "the driver has not come back" ? kBeganAnew : 1);
}

TEST(LostCard, has_the_command_begin_anew) { EXPECT_EQ(exit_code_without_card({"reber", kSecondLife}), kBeganAnew); }

TEST(LostCard, leaves_no_temporary) {
  const testing_files::TemporaryFolder folder;
  EXPECT_EQ(exit_code_without_card({"reber", kSecondLife}, folder.file("catalogue.csv")), kBeganAnew);
  EXPECT_EQ(folder.entries(), 0);
}

TEST(LostCard, ends_what_cannot_begin_anew) {
  EXPECT_EQ(exit_code_without_card({"reber", kSecondLife, "-"}), 4);
  EXPECT_EQ(exit_code_without_card({"reber", kSecondLife, "--serve"}), 4);
  ::setenv("REBER_CARD_LOST", "before", 1);
  EXPECT_EQ(exit_code_without_card({"reber", kSecondLife}), 4);
  ::unsetenv("REBER_CARD_LOST");
}

TEST(LostCard, is_not_asked_again) {
  ::setenv("REBER_CARD_LOST", "the driver has not come back", 1);
  CommonOptions options;
  options.backend = "auto";
  options.threads = 1;
  options.quiet = true;
  Terminal terminal;
  apply(options, terminal);
  const std::string device = BackendChoice(options, terminal).backend()->info().device;
  EXPECT_NE(device.find("in place of the card, which failed: the driver has not come back"), std::string::npos)
      << device;
  options.backend = "cuda";
  EXPECT_THROW(BackendChoice(options, terminal), DeviceError);
  ::unsetenv("REBER_CARD_LOST");
}

#ifdef REBER_HAVE_CUDA
std::atomic<int> losses{0};
std::string last_words;

/// Needs no card: the call is one that only sleeps.
TEST(LostCard, is_noticed_where_a_call_does_not_return) {
  ::setenv("REBER_CUDA_TIMEOUT", "0.3", 1);
  on_lost_card([](const char* words) noexcept {
    last_words = words;
    ++losses;
  });
  {
    const cuda::DriverCall quick("cudaMallocHost");
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_EQ(losses, 0);
  EXPECT_FALSE(cuda::given_up());
  {
    const cuda::DriverCall slow("cudaHostRegister");
    for (int i = 0; i < 300 && losses == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(losses, 1);
  EXPECT_TRUE(cuda::given_up());
  EXPECT_NE(last_words.find("cudaHostRegister for 0.3 s"), std::string::npos) << last_words;
  on_lost_card(nullptr);
  ::unsetenv("REBER_CUDA_TIMEOUT");
  cuda::take_back();
}
#endif

}  // namespace
}  // namespace reber::app
