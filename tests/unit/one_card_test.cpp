// SPDX-License-Identifier: BSD-3-Clause
// Which card alone is shown to the driver: by the driver's files, by number, and taken back.
#include "app/options/one_card.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/seam/compute/backend_options.hpp"
#include "tests/unit/fits_files.hpp"

namespace reber::app {
namespace {

constexpr const char* kVisible = "CUDA_VISIBLE_DEVICES";
constexpr const char* kOrder = "CUDA_DEVICE_ORDER";
constexpr std::array kNames{kVisible,
                            kOrder,
                            "OMPI_COMM_WORLD_LOCAL_RANK",
                            "SLURM_LOCALID",
                            "MPI_LOCALRANKID",
                            "MV2_COMM_WORLD_LOCAL_RANK",
                            "PALS_LOCAL_RANKID"};

/// The variables as they were, afterwards.
class OneCard : public testing::Test {
 protected:
  OneCard() {
    show_all_cards();
    for (const char* name : kNames) {
      if (const char* const value = std::getenv(name)) before_.emplace_back(name, value);
      ::unsetenv(name);
    }
  }
  ~OneCard() override {
    show_all_cards();
    for (const char* name : kNames) ::unsetenv(name);
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
  EXPECT_TRUE(cards_in_sight(root).empty());
  add_card("0000:18:00.0", 0);
  add_card("0000:2a:00.0", 1);
  EXPECT_EQ(cards_by_files(root), (std::vector{0, 1}));
  EXPECT_EQ(cards_in_sight(root), (std::vector<std::string>{"0", "1"}));
  add_card("0000:3a:00.0", 7);  // a container that has the eighth
  EXPECT_TRUE(cards_by_files(root).empty());
  EXPECT_TRUE(cards_in_sight(root).empty());
}

TEST_F(OneCard, of_a_user_s_own_list_one_is_taken_and_the_list_comes_back) {
  ::setenv(kVisible, "GPU-7,3,GPU-1", 1);
  EXPECT_EQ(cards_in_sight(), (std::vector<std::string>{"GPU-7", "3", "GPU-1"}));
  show_all_cards();
  const OwnCard second = take_own_card(1, true);
  EXPECT_EQ(second.device, 1);
  EXPECT_EQ(second.hidden, 1);
  EXPECT_STREQ(std::getenv(kVisible), "3");
  EXPECT_EQ(std::getenv(kOrder), nullptr) << "the list is in the user's order";
  EXPECT_EQ(take_own_card(0, false).device, 1) << "a process has one card";
  show_all_cards();
  EXPECT_STREQ(std::getenv(kVisible), "GPU-7,3,GPU-1");
  EXPECT_EQ(std::getenv(kOrder), nullptr);
}

TEST_F(OneCard, words_that_are_no_list_and_numbers_that_are_not_there_change_nothing) {
  for (const char* words : {"", "-1", "0,-1", "0,,1", "0, 1", "2"}) {
    ::setenv(kVisible, words, 1);
    show_all_cards();
    const OwnCard card = take_own_card(0, true);
    EXPECT_EQ(card.device, 0) << words;
    EXPECT_EQ(card.hidden, 0) << words;
    EXPECT_STREQ(std::getenv(kVisible), words);
  }
  ::setenv(kVisible, "0,1", 1);
  show_all_cards();
  const OwnCard none = take_own_card(2, true);
  EXPECT_EQ(none.device, 2);
  EXPECT_EQ(none.hidden, 0);
  EXPECT_STREQ(std::getenv(kVisible), "0,1");
  show_all_cards();
  EXPECT_STREQ(std::getenv(kVisible), "0,1");
}

TEST_F(OneCard, processes_of_a_host_take_a_card_each) {
  ::setenv(kVisible, "0,1,2", 1);
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID", "MPI_LOCALRANKID"})
    for (const int rank : {0, 2, 4}) {
      ::setenv(name, std::to_string(rank).c_str(), 1);
      EXPECT_EQ(local_rank(), rank);
      show_all_cards();
      const OwnCard card = take_own_card(0, false);
      EXPECT_EQ(card.device, rank % 3) << name;
      EXPECT_EQ(card.hidden, rank % 3) << name;
      EXPECT_EQ(std::getenv(kVisible), std::to_string(rank % 3)) << name;
      show_all_cards();
      EXPECT_EQ(take_own_card(1, true).device, 1) << "named";
      show_all_cards();
      ::unsetenv(name);
    }
  ::setenv("SLURM_LOCALID", "two", 1);
  EXPECT_EQ(local_rank(), 0);
}

TEST_F(OneCard, who_names_a_card_counts_by_the_bus) {
  (void)take_own_card(0, false);
  EXPECT_EQ(std::getenv(kOrder), nullptr);
  show_all_cards();
  (void)take_own_card(0, true);
  EXPECT_STREQ(std::getenv(kOrder), "PCI_BUS_ID");
  show_all_cards();
  EXPECT_EQ(std::getenv(kOrder), nullptr);
}

TEST_F(OneCard, cards_that_share_an_image_are_those_paid_for_or_named) {
  ::setenv(kVisible, "4,5,6,7", 1);
  const std::vector<CardNumber> all{{0, 0}, {1, 0}, {2, 0}, {3, 0}};
  EXPECT_EQ(take_own_cards("", 9), all);
  EXPECT_STREQ(std::getenv(kVisible), "4,5,6,7");
  EXPECT_EQ(take_own_cards("", 2), all) << "a process has its cards";
  show_all_cards();
  EXPECT_EQ(take_own_cards("", 2), (std::vector<CardNumber>{{0, 0}, {1, 0}}));
  EXPECT_STREQ(std::getenv(kVisible), "4,5");
  show_all_cards();
  EXPECT_EQ(take_own_cards("3,1,3", 1), (std::vector<CardNumber>{{1, 1}, {3, 2}}));
  EXPECT_STREQ(std::getenv(kVisible), "5,7");
  show_all_cards();
  EXPECT_EQ(take_own_cards("2", 4), (std::vector<CardNumber>{{2, 2}}));
  show_all_cards();
  EXPECT_EQ(take_own_cards("", 1), (std::vector<CardNumber>{{0, 0}}));
  show_all_cards();
  EXPECT_EQ(take_own_cards("all", 1), all);
  show_all_cards();
  EXPECT_THROW((void)take_own_cards("0,4", 1), DeviceError);
  for (const char* words : {"0,", "one", "-1", "0 1"})
    EXPECT_THROW((void)take_own_cards(words, 1), InputError) << words;
  ::setenv("SLURM_LOCALID", "2", 1);
  EXPECT_EQ(take_own_cards("", 4), (std::vector<CardNumber>{{2, 2}})) << "a rank has one card";
}

TEST_F(OneCard, a_user_s_own_order_is_left_alone) {
  ::setenv(kOrder, "FASTEST_FIRST", 1);
  count_cards_by_bus();
  EXPECT_STREQ(std::getenv(kOrder), "FASTEST_FIRST");
  show_all_cards();
  EXPECT_STREQ(std::getenv(kOrder), "FASTEST_FIRST");
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
