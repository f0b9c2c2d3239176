// SPDX-License-Identifier: BSD-3-Clause
// Which card alone is shown to the driver: by the driver's files, by number, and taken back.
#include "app/options/one_card.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "core/compute/backend_options.hpp"
#include "tests/unit/fits_files.hpp"

namespace reber::app {
namespace {

constexpr const char* kVisible = "CUDA_VISIBLE_DEVICES";
constexpr const char* kOrder = "CUDA_DEVICE_ORDER";

/// The variables as they were, afterwards.
class OneCard : public testing::Test {
 protected:
  OneCard() {
    for (const char* name : {kVisible, kOrder})
      if (const char* const value = std::getenv(name)) before_.emplace_back(name, value);
    ::unsetenv(kVisible);
    ::unsetenv(kOrder);
  }
  ~OneCard() override {
    ::unsetenv(kVisible);
    ::unsetenv(kOrder);
    for (const auto& [name, value] : before_) ::setenv(name.c_str(), value.c_str(), 1);
  }
  OneCard(const OneCard&) = delete;
  OneCard& operator=(const OneCard&) = delete;

  void add_card(const std::string& place, int file) const {
    std::filesystem::create_directories(root_.file("proc/driver/nvidia/gpus/" + place));
    std::filesystem::create_directories(root_.file("dev"));
    if (file >= 0) std::ofstream(root_.file("dev/nvidia" + std::to_string(file))) << "";
  }

  testing_files::TemporaryFolder root_;

 private:
  std::vector<std::pair<std::string, std::string>> before_;
};

TEST_F(OneCard, files_of_the_driver_count_cards) {
  const std::string root = root_.file(".");
  EXPECT_TRUE(cards_by_files(root).empty());
  add_card("0000:18:00.0", 0);
  add_card("0000:2a:00.0", 1);
  EXPECT_EQ(cards_by_files(root), (std::vector{0, 1}));
  add_card("0000:3a:00.0", 7);  // a container that has the eighth
  EXPECT_TRUE(cards_by_files(root).empty());
}

TEST_F(OneCard, a_user_s_own_choice_is_left_alone) {
  add_card("0000:18:00.0", 0);
  add_card("0000:2a:00.0", 1);
  ::setenv(kVisible, "1", 1);
  EXPECT_TRUE(cards_by_files(root_.file(".")).empty());
  ::setenv(kOrder, "FASTEST_FIRST", 1);
  count_cards_by_bus();
  EXPECT_STREQ(std::getenv(kOrder), "FASTEST_FIRST");
  show_all_cards();
  EXPECT_STREQ(std::getenv(kOrder), "FASTEST_FIRST");
  EXPECT_STREQ(std::getenv(kVisible), "1");
}

TEST_F(OneCard, the_word_names_a_card_that_is_there) {
  EXPECT_FALSE(word_for_card(0, 0));
  EXPECT_FALSE(word_for_card(0, 1));
  EXPECT_FALSE(word_for_card(2, 2));
  EXPECT_FALSE(word_for_card(-1, 2));
  EXPECT_EQ(word_for_card(0, 2), "0");
  EXPECT_EQ(word_for_card(7, 8), "7");
}

TEST_F(OneCard, what_was_set_is_taken_back) {
  show_all_cards();
  count_cards_by_bus();
  EXPECT_STREQ(std::getenv(kOrder), "PCI_BUS_ID");
  show_all_cards();
  EXPECT_EQ(std::getenv(kOrder), nullptr);
  EXPECT_EQ(std::getenv(kVisible), nullptr);
}

TEST_F(OneCard, the_driver_counts_without_hidden_cards) {
  BackendOptions options;
  options.device = 3;
  EXPECT_EQ(options.driver_number(), 3);
  options.hidden_cards = 3;
  EXPECT_EQ(options.driver_number(), 0);
}

}  // namespace
}  // namespace reber::app
